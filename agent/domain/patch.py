"""Candidates: patches, where they came from and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Origin(StrEnum):
    """Which source proposed a candidate."""

    RULE = "rule"
    UPSTREAM = "upstream"
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of the tree: path relative to its root with ``/``, and its bytes as they are on disk."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A patch as the new bytes of each changed file (None = deleted)."""

    origin: Origin
    source: str
    rationale: str
    changes: Mapping[str, bytes | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A place that shows a weakness; ``symbol`` is the definition around it, empty at module level."""

    path: str
    line: int
    symbol: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """A rule saw the weakness and will not fix it, for a reason a person can act on."""

    source: str
    path: str
    line: int
    reason: str
