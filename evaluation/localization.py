"""Measures file localization: every case asked at its own commit, with only what existed before it to speak."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from evaluation.localization_cases import repository_path
from evaluation.localization_engines import engine_rankings
from evaluation.localization_fit import MeasuredCase
from retrieval.embedders.svd import SVDEmbedder
from retrieval.files.fusion import fuse
from retrieval.files.index import snapshot
from retrieval.files.issues import IssueMemory
from retrieval.files.kinds import FileKind
from retrieval.files.presets import DEFAULT, PAPER
from retrieval.files.query import parse
from retrieval.files.ranking import measure
from retrieval.files.snapshot import Snapshot
from retrieval.files.store import IndexStore
from retrieval.files.trees import GitTree
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluation.localization_cases import LocalizationCase
    from retrieval.domain import PastIssue
    from retrieval.files.ranking import Measured

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
            for number, case in enumerate(own, start=1):
                yield self._asked(case, repository, store)
                tell(f"{name} {number}/{len(own)}")
            store.close()

    def _asked(self, case: LocalizationCase, repository: GitRepository, store: IndexStore) -> Asked:
        tree = GitTree(repository, repository.resolve(case.commit))
        if not self.whole:
            tree.files = {path: blob for path, blob in tree.files.items() if self.paths.search(path)}
        seconds: dict[str, float] = {}
        with _timed(seconds, "load"):
            now = repository.commit_time(tree.commit)
            older = [
                one for one in self.past.get(case.repository, ()) if one.time < now and one.id != case.id
            ]
            ready = snapshot(tree, store, memory=IssueMemory.learn(SVDEmbedder(), older))
        parsed = parse(case.query)
        with _timed(seconds, "first query"):
            measure(parsed, case.query, ready, DEFAULT)
        with _timed(seconds, "query"):
            measured = measure(parse(case.query), case.query, ready, DEFAULT)
        narrow = [one for one in measured if one.kind is FileKind.SOURCE]
        asked = _case(case, narrow, self.paths)
        plain = _narrowed(ready, asked.paths)
        rankings = {"paper": _paper(case, plain)}
        if self.engines:
            rankings |= engine_rankings(case.query, plain.whole, seconds)
        whole = _widest(_case(case, measured, re.compile(""))) if self.whole else None
        return Asked(case=asked, whole=whole, rankings=rankings, seconds=seconds)


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
