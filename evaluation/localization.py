"""Measures file localization: every case asked at its own commit, with only what existed before it to speak."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.localization_cases import repository_path
from evaluation.localization_checkpoint import checkpoint_path, load_case, save_case
from evaluation.localization_engines import engine_rankings
from evaluation.localization_fit import MeasuredCase
from retrieval.embedders.svd import SVDEmbedder
from retrieval.files.fusion import fuse
from retrieval.files.index import snapshot
from retrieval.files.issues import IssueMemory
from retrieval.files.kinds import FileKind, kind_of
from retrieval.files.presets import DEFAULT, PAPER
from retrieval.files.query import parse
from retrieval.files.ranking import measure
from retrieval.files.snapshot import Snapshot
from retrieval.files.store import IndexStore
from retrieval.files.trees import GitTree
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluation.localization_cases import LocalizationCase
    from retrieval.domain import PastIssue
    from retrieval.files.document import Document
    from retrieval.files.ranking import Measured

DEEPEST = 100
"""Places of a ranking that are kept."""

WIDEST = 400
"""Files of a case that are kept of a whole tree: those with the highest sums, and the changed ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A case measured: the signals of its candidates, and the rankings that need no fit."""

    case: MeasuredCase
    whole: MeasuredCase | None
    rankings: Mapping[str, tuple[str, ...]]
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a measurement needs: where repositories, indexes and past issues are."""

    repositories: Path
    indexes: Path
    aliases: Mapping[str, str] = field(default_factory=dict)
    past: Mapping[str, Sequence[PastIssue]] = field(default_factory=dict)
    paths: re.Pattern[str] = re.compile(r"\.py$")
    engines: bool = False
    whole: bool = False

    def ask(self, cases: Sequence[LocalizationCase], tell: Callable[[str], None]) -> Iterator[Asked]:
        """Yield every case measured, repository by repository; ``tell`` hears of the progress."""
        for name in sorted({case.repository for case in cases}):
            own = [case for case in cases if case.repository == name]
            repository = GitRepository(repository_path(self.repositories, name, self.aliases))
            store = IndexStore(self.indexes / name.replace("/", "+"))
            keeper = WarmKeeper(store)
            for number, case in enumerate(own, start=1):
                yield self._kept(case, repository, keeper)
                tell(f"{name} {number}/{len(own)}")
            store.close()

    def _kept(self, case: LocalizationCase, repository: GitRepository, keeper: WarmKeeper) -> Asked:
        """Return a case from its checkpoint, or measure it and leave one."""
        past = len(self.past.get(case.repository, ()))
        settings = (
            sorted(DEFAULT.lexical),
            sorted(DEFAULT.history),
            self.paths.pattern,
            self.engines,
            self.whole,
            past,
        )
        path, wide = (checkpoint_path(self.indexes, name, settings) for name in (case.id, f"{case.id}.whole"))
        if (known := load_case(path)) and (not self.whole or wide.is_file()):
            return _restored(known, load_case(wide))
        asked = self._asked(case, repository, keeper)
        if asked.whole is not None:
            save_case(wide, asked.whole, {})
        first = {name: ranked[:DEEPEST] for name, ranked in asked.rankings.items()}
        save_case(path, asked.case, {"rankings": first, "seconds": dict(asked.seconds)})
        return replace(asked, rankings=first)

    def _asked(self, case: LocalizationCase, repository: GitRepository, keeper: WarmKeeper) -> Asked:
        tree = GitTree(repository, repository.resolve(case.commit))
        if not self.whole:
            wanted = ((path, blob) for path, blob in tree.files.items() if self.paths.search(path))
            tree.files = {path: blob for path, blob in wanted if kind_of(path) is FileKind.SOURCE}
        seconds: dict[str, float] = {}
        with _timed(seconds, "load"):
            now = repository.commit_time(tree.commit)
            older = [
                one for one in self.past.get(case.repository, ()) if one.time < now and one.id != case.id
            ]
            ready = snapshot(tree, keeper, memory=IssueMemory.learn(SVDEmbedder(), older))
        with _timed(seconds, "first query"):
            measure(parse(case.query), case.query, ready, DEFAULT)
        with _timed(seconds, "query"):
            measured = measure(parse(case.query), case.query, ready, DEFAULT)
        asked = _case(case, [one for one in measured if one.kind is FileKind.SOURCE], self.paths)
        plain = _narrowed(ready, asked.paths)
        rankings = {"paper": _paper(case, plain)}
        if self.engines:
            rankings |= engine_rankings(case.query, plain.whole, seconds)
        whole = _widest(_case(case, measured, re.compile(""))) if self.whole else None
        return Asked(case=asked, whole=whole, rankings=rankings, seconds=seconds)


def _restored(
    known: tuple[MeasuredCase, dict[str, Any]], wide: tuple[MeasuredCase, dict[str, Any]] | None
) -> Asked:
    case, others = known
    rankings = {name: tuple(ranked) for name, ranked in others["rankings"].items()}
    return Asked(case=case, whole=wide[0] if wide else None, rankings=rankings, seconds=others["seconds"])


class WarmKeeper:
    """An index of which everything that was asked once stays in memory: cases of a repository share most of it."""

    def __init__(self, store: IndexStore) -> None:
        self._store = store
        self._documents: dict[tuple[str, str], Document | None] = {}
        self._commits: dict[str, bytes] = {}

    def get(self, keys: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], Document | None]:
        """Return the known documents."""
        wanted = list(keys)
        self._documents.update(self._store.get(key for key in wanted if key not in self._documents))
        return {key: self._documents[key] for key in wanted if key in self._documents}

    def known(self, keys: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Return which documents are known."""
        return self._store.known(keys)

    def put(self, found: Mapping[tuple[str, str], Document | None]) -> None:
        """Keep documents."""
        self._store.put(found)

    def commits(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return what is known of commits."""
        wanted = list(ids)
        self._commits.update(self._store.commits(one for one in wanted if one not in self._commits))
        return self._commits

    def commit_ids(self) -> frozenset[str]:
        """Return the ids of all known commits."""
        return self._store.commit_ids()

    def put_commits(self, found: Mapping[str, bytes]) -> None:
        """Keep commits."""
        self._store.put_commits(found)


def _case(case: LocalizationCase, measured: Sequence[Measured], paths: re.Pattern[str]) -> MeasuredCase:
    """Return the signals of the files whose path fits, sorted by path."""
    names = (*DEFAULT.lexical, *DEFAULT.history)
    rows: dict[str, list[float]] = {}
    for one in measured:
        table = np.stack([one.signals[name] * one.kept for name in names], axis=1)
        rows |= {path: table[at] for at, path in enumerate(one.corpus.paths) if paths.search(path)}
    ordered = tuple(sorted(rows))
    at = {path: number for number, path in enumerate(ordered)}
    return MeasuredCase(
        id=case.id,
        repository=case.repository,
        paths=ordered,
        names=names,
        signals=np.array([rows[path] for path in ordered], dtype=np.float64).reshape(
            len(ordered), len(names)
        ),
        changed=tuple(at[path] for path in case.files if path in at),
        missing=sum(path not in at for path in case.files),
    )


def _widest(case: MeasuredCase) -> MeasuredCase:
    order = np.argsort(-case.signals.sum(axis=1), kind="stable")[:WIDEST]
    chosen = np.union1d(order, np.array(case.changed, dtype=np.int64))
    at = {int(old): new for new, old in enumerate(chosen)}
    paths = tuple(case.paths[old] for old in chosen)
    changed = tuple(at[old] for old in case.changed)
    return replace(case, paths=paths, signals=case.signals[chosen], changed=changed)


def _narrowed(ready: Snapshot, paths: Sequence[str]) -> Snapshot:
    documents = {path: ready.documents[path] for path in paths}
    return Snapshot(documents=documents, now=ready.now, memory=ready.memory)


def _paper(case: LocalizationCase, ready: Snapshot) -> tuple[str, ...]:
    (measured,) = measure(parse(case.query), case.query, ready, PAPER)
    scores = fuse(measured.signals, PAPER, len(measured.corpus))
    return tuple(measured.corpus.paths[at] for at in np.lexsort((np.arange(len(scores)), -scores)))


class _timed:  # noqa: N801 - reads as a statement
    """Adds the processor time of a block to a table."""

    def __init__(self, table: dict[str, float], name: str) -> None:
        self._table = table
        self._name = name

    def __enter__(self) -> None:
        self._start = time.process_time()

    def __exit__(self, *_: object) -> None:
        self._table[self._name] = time.process_time() - self._start
