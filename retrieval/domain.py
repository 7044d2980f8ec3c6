"""Value types of ranking: what is asked, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class FileQuery:
    """A report as the ranking sees it: its first line and its whole text."""

    title: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChunk:
    """A definition inside a ranked file; lines count from 1 and include both ends."""

    name: str
    kind: str
    start_line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFile:
    """A file with its fused score and what each signal said, each within 0..1."""

    path: str
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)
    chunks: tuple[RankedChunk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PastIssue:
    """A closed issue and the files its fix changed; ``time`` is when it was closed, in seconds since 1970."""

    id: str
    title: str
    body: str
    files: tuple[str, ...]
    time: int
