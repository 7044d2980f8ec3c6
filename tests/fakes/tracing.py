"""Commits that exist only in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.errors import UnknownRevisionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retrieval.commits.domain import CommitPatch


class MemoryCommits:
    """Commits by id, and diffs by id and path."""

    def __init__(
        self, commits: Sequence[CommitPatch], diffs: Mapping[tuple[str, str], str] | None = None
    ) -> None:
        self._commits = {commit.id: commit for commit in commits}
        self._diffs = diffs or {}

    def commit(self, name: str) -> CommitPatch:
        if name not in self._commits:
            raise UnknownRevisionError(name)
        return self._commits[name]

    def file_diff(self, name: str, path: str, *, limit: int) -> str:
        self.commit(name)
        return self._diffs.get((name, path), "")[:limit]
