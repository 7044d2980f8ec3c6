"""Proofs of concept and their readings."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Verdict(StrEnum):
    """What a proof of concept observed: exit 0 vulnerable, exit 1 safe, anything else inconclusive."""

    VULNERABLE = "vulnerable"
    SAFE = "safe"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOfConcept:
    """A program that shows the vulnerable behaviour.

    ``path`` is where it is written inside the sandbox (below ``/tmp``), ``argv`` runs it, ``files`` is what
    it needs beside it, ``origin`` says where it came from (``report``, ``report test``, ``model``).
    """

    language: str
    path: str
    code: str
    argv: tuple[str, ...]
    origin: str
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The same attack in another form, or a benign control: the proof with other input."""

    name: str
    proof: ProofOfConcept
    benign: bool = False
