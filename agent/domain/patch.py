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
    """A patch as the new bytes of each changed file (None = deleted).

    What a model's patch tells besides, each one line: the place of the project it ``follows``, the
    ``alternative`` not taken, the ``entry_points`` decided on. ``planned`` are the files that its plan names
    beyond those that were found, ``test`` the file of the regression test, ``model`` who wrote it.
    """

    origin: Origin
    source: str
    rationale: str
    changes: Mapping[str, bytes | None] = field(default_factory=dict)
    follows: str = ""
    alternative: str = ""
    entry_points: tuple[str, ...] = ()
    planned: frozenset[str] = frozenset()
    test: str = ""
    model: str = ""


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
