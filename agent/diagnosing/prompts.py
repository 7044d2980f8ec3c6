"""The input of the prompt for the boundary."""

from __future__ import annotations

from dataclasses import dataclass

BOUNDARY = "diagnose_boundary"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryPrompt:
    """Asks for variants, controls and entry points; ``refused`` (empty at first) tells what did not count.

    ``language`` is a word of ours, the numbers are bounds, everything else is untrusted.
    """

    language: str
    variants: int
    controls: int
    report: str
    proof: str
    places: str
    refused: str
