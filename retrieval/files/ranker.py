"""Ranks the files of a folder or a repository for a report: the package's front door."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.files.index import Keeper, MemoryKeeper, snapshot
from retrieval.files.presets import DEFAULT
from retrieval.files.ranking import rank
from retrieval.files.trees import GitTree, open_tree

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.domain import FileQuery, RankedFile
    from retrieval.files.fusion import Preset
    from retrieval.files.issues import IssueMemory
    from retrieval.files.snapshot import Snapshot


class TreeRanker:
    """Ranks with what ``keeper`` holds, an index on disk or memory; the last tree asked stays warm."""

    def __init__(
        self, *, preset: Preset = DEFAULT, keeper: Keeper | None = None, memory: IssueMemory | None = None
    ) -> None:
        self._preset = preset
        self._keeper = keeper or MemoryKeeper()
        self._memory = memory
        self._warm: tuple[tuple[Path, str], Snapshot] | None = None

    def rank(
        self, query: FileQuery, path: Path, *, k: int, revision: str | None = None
    ) -> tuple[RankedFile, ...]:
        """Return the best ``k`` files of a repository at ``revision`` or of a plain folder.

        Raise ``RetrievalError`` when the path cannot be read.
        """
        return rank(query, self.snapshot(path, revision=revision), self._preset, k=k)

    def snapshot(self, path: Path, *, revision: str | None = None) -> Snapshot:
        """Return what is known of a tree and its past."""
        tree = open_tree(path, revision=revision)
        if not isinstance(tree, GitTree):
            return snapshot(tree, self._keeper, memory=self._memory)
        key = (path, tree.commit)
        if self._warm is None or self._warm[0] != key:
            self._warm = (key, snapshot(tree, self._keeper, memory=self._memory))
        return self._warm[1]
