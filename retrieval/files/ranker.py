"""Ranks the files of a folder or a repository for a report: the package's front door."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.files.history import MOST_FILES, PastChange, words_of
from retrieval.files.presets import DEFAULT
from retrieval.files.ranking import rank
from retrieval.files.reading import Documents, MemoryDocuments, read_documents
from retrieval.files.snapshot import Snapshot
from retrieval.files.trees import GitTree, open_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from retrieval.domain import FileQuery, RankedFile
    from retrieval.files.fusion import Preset
    from retrieval.gitlog import Commit

_FIX = re.compile(r"\bfix|\bbug|\bclose[sd]? #|\bresolve", re.IGNORECASE)


class TreeRanker:
    """Ranks without an index on disk; documents once read are kept for the next call."""

    def __init__(self, *, preset: Preset = DEFAULT, documents: Documents | None = None) -> None:
        self._preset = preset
        self._documents = documents or MemoryDocuments()

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
        documents = read_documents(tree, self._documents)
        if not isinstance(tree, GitTree):
            return Snapshot(documents=documents, notes=("no git history: past fixes cannot speak",))
        changes = tuple(past_changes(tree.repository.log(tree.commit)))
        return Snapshot(documents=documents, changes=changes, now=tree.repository.commit_time(tree.commit))


def past_changes(commits: Iterable[Commit]) -> Iterator[PastChange]:
    """Yield past changes, given newest first, with their files under today's names."""
    today: dict[str, str] = {}
    for commit in commits:
        paths = tuple(today.get(change.path, change.path) for change in commit.changes)
        for change, path in zip(commit.changes, paths, strict=True):
            if change.status == "R" and change.old_path is not None:
                today[change.old_path] = path
        if 0 < len(paths) <= MOST_FILES:
            fixes = bool(_FIX.search(commit.message[:200]))
            yield PastChange(
                id=commit.id,
                time=commit.commit_time,
                words=words_of(commit.message),
                paths=paths,
                fixes=fixes,
            )
