"""Value types of tracing: the advisory that asks, the commits of a history, and the ranking that answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisoryQuery:
    """What an advisory says that can point at a commit.

    ``ids`` are the advisory's own names (``CVE-2020-1747``, ``GHSA-6757-jp84-gxfx``); ``fixed`` are the first
    fixed versions, one a release line; ``links`` are the advisory's references.
    """

    text: str
    ids: tuple[str, ...] = ()
    published: date | None = None
    fixed: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file a commit touches; ``added`` and ``deleted`` count lines and are None for binary files."""

    path: str
    added: int | None
    deleted: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPatch:
    """A commit with the difference to its first parent.

    ``authored`` and ``committed`` are seconds since 1970. ``sections`` are the definitions git names in hunk
    headers, ``lines`` the changed lines with their sign, bounded per file and per commit. ``complete`` is False
    when objects of the difference are missing from the clone.
    """

    id: str
    parents: tuple[str, ...]
    authored: int
    committed: int
    message: str
    changes: tuple[FileChange, ...] = ()
    sections: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    complete: bool = True

    @property
    def subject(self) -> str:
        """Return the first line of the message."""
        return self.message.split("\n", 1)[0].strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCommit:
    """A commit with its score and what each signal said before weighting."""

    id: str
    subject: str
    committed: int
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)
    explicit: str = ""
    """The link that names this commit, when the advisory carries one."""
