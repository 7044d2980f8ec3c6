"""Proofs of concept and their readings."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent.domain.patch import SourceFile
    from agent.domain.place import Place


class Verdict(StrEnum):
    """What a proof of concept observed: exit 0 vulnerable, exit 1 safe, anything else inconclusive."""

    VULNERABLE = "vulnerable"
    SAFE = "safe"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOfConcept:
    """A program that shows the vulnerable behaviour.

    ``path`` is where it is written inside the sandbox (below ``/tmp``), ``argv`` runs it, ``files`` is what
    it needs beside it, ``origin`` says where it came from (``report``, ``report test``, ``model``). A model
    also names the ``sinks``, the definitions that do the harm, explains its ``oracle``, and may write ``test``,
    a new test of the project that fails as long as the flaw is there.
    """

    language: str
    path: str
    code: str
    argv: tuple[str, ...]
    origin: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    sinks: tuple[Place, ...] = ()
    oracle: str = ""
    test: SourceFile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A proof that was tried: its verdict, the last lines of what it printed, and why it did not count.

    ``reason`` is empty for the proof that counted; ``covered`` are the project's files of which code ran.
    """

    proof: ProofOfConcept
    verdict: Verdict
    exit_code: int | None = None
    output: str = ""
    reason: str = ""
    covered: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The same attack in another form, or a benign control: the proof with other input.

    A variant that is not ``required`` informs only: it may ask for more than the report does.
    """

    name: str
    proof: ProofOfConcept
    benign: bool = False
    required: bool = True
