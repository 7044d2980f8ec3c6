"""The input of the prompt for a proof of concept."""

from __future__ import annotations

from dataclasses import dataclass

PROOF = "reproduce_proof"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofPrompt:
    """Asks for a proof; ``tried`` (empty at first) tells of the last one and why it did not count.

    ``language`` and ``runner`` are words of ours, everything else is untrusted. ``left`` counts the tries.
    """

    language: str
    runner: str
    report: str
    files: str
    tests: str
    code: str
    output: str
    tried: str
    left: int
