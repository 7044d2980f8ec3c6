"""The index of one repository: brought up to date for a commit, then asked at that commit."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from retrieval.files.past import encode_commit, past_log
from retrieval.files.reading import Documents, read_documents, read_missing
from retrieval.files.snapshot import Snapshot
from retrieval.files.trees import GitTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retrieval.files.document import Document
    from retrieval.files.issues import IssueMemory
    from retrieval.files.trees import FolderTree
    from retrieval.gitlog import Commit

_BLOCK = 2_000
_NO_END = 1 << 62
_MOST_COMMITS = 200_000
"""Commits that are read at most, the newest: what is older speaks of other code."""


class Commits(Protocol):
    """Keeps commits by id."""

    def commits(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return what is known of commits."""
        ...

    def commit_ids(self) -> frozenset[str]:
        """Return the ids of all known commits."""
        ...

    def put_commits(self, found: Mapping[str, bytes]) -> None:
        """Keep commits, all or none."""
        ...


class Keeper(Documents, Commits, Protocol):
    """Keeps both halves of an index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What an update did: contents and commits read, and what was not to be had."""

    files: int
    contents: int
    commits: int
    notes: tuple[str, ...]


class MemoryKeeper:
    """Keeps an index as long as the process lives."""

    def __init__(self) -> None:
        self._documents: dict[tuple[str, str], Document | None] = {}
        self._commits: dict[str, bytes] = {}

    def get(self, keys: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], Document | None]:
        """Return those documents that are known."""
        return {key: self._documents[key] for key in keys if key in self._documents}

    def known(self, keys: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Return which documents are known."""
        return frozenset(keys) & self._documents.keys()

    def put(self, found: Mapping[tuple[str, str], Document | None]) -> None:
        """Keep documents."""
        self._documents.update(found)

    def commits(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return what is known of commits."""
        return {one: self._commits[one] for one in ids if one in self._commits}

    def commit_ids(self) -> frozenset[str]:
        """Return the ids of all known commits."""
        return frozenset(self._commits)

    def put_commits(self, found: Mapping[str, bytes]) -> None:
        """Keep commits."""
        self._commits.update(found)


def snapshot(tree: GitTree | FolderTree, keeper: Keeper, *, memory: IssueMemory | None = None) -> Snapshot:
    """Return a tree ready to be asked; what ``keeper`` does not know is read and given to it."""
    documents = read_documents(tree, keeper)
    notes = tuple(notes_of(tree))
    if not isinstance(tree, GitTree):
        return Snapshot(documents=documents, memory=memory, now=_NO_END, notes=notes)
    ids = read_commits(tree, keeper)
    known = keeper.commits(ids)
    log = past_log((one, known[one]) for one in ids if one in known)
    now = tree.repository.commit_time(tree.commit)
    return Snapshot(documents=documents, log=log, now=now, memory=memory, notes=notes)


def update(tree: GitTree | FolderTree, keeper: Keeper) -> Update:
    """Read what the index lacks for a tree, and nothing else."""
    contents = read_missing(tree, keeper)
    before = len(keeper.commit_ids())
    if isinstance(tree, GitTree):
        read_commits(tree, keeper)
    commits = len(keeper.commit_ids()) - before
    return Update(files=len(tree.files), contents=contents, commits=commits, notes=tuple(notes_of(tree)))


def read_commits(tree: GitTree, keeper: Commits) -> tuple[str, ...]:
    """Return the ids of the commits that led to the tree, newest first, reading those that are not known."""
    ids = tree.repository.reachable(tree.commit)[:_MOST_COMMITS]
    known = keeper.commit_ids()
    if known.issuperset(ids):
        return ids
    for block in _cut(tree.repository.log(tree.commit, excluding=_frontier(ids, known))):
        keeper.put_commits({commit.id: encode_commit(commit) for commit in block if commit.id not in known})
    return ids


def _frontier(ids: tuple[str, ...], known: frozenset[str]) -> tuple[str, ...]:
    """Return a known commit below which all is known: the newest from which every older one is known.

    Commits are put away newest first, so after a kill older ones may be missing under a known one.
    """
    oldest_missing = max((at for at, one in enumerate(ids) if one not in known), default=-1)
    after = ids[oldest_missing + 1 :]
    return after[:1]


def _cut(commits: Iterator[Commit]) -> Iterator[list[Commit]]:
    while block := list(islice(commits, _BLOCK)):
        yield block


def notes_of(tree: GitTree | FolderTree) -> Iterator[str]:
    """Yield what a reader of the ranking should know is missing."""
    if not isinstance(tree, GitTree):
        yield "no git history: past fixes cannot speak"
        return
    if tree.repository.shallow:
        yield "shallow clone: only the fetched part of the history speaks"
    if tree.repository.partial:
        yield "partial clone: files whose content was not fetched are found by their path only"
