"""What past changes say: the files that commits with like messages touched, and how lately each file changed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.files.bags import join
from retrieval.files.lexical import BM25Index

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from retrieval.files.bags import Bags

    Scores = NDArray[np.float64]

DAY = 86_400.0
MOST_FILES = 200
"""A change of more files is a reformatting or an import: it says nothing of any one of them."""

NEIGHBOURS = 100
RECENCY_HALF_LIFE = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChange:
    """A past commit: its words, its files under the names they bear now, its time in seconds since 1970."""

    id: str
    time: int
    subject: str
    words: Bags
    paths: tuple[str, ...]
    fixes: bool


class History:
    """Past changes against the files of a corpus, as of one moment."""

    def __init__(self, changes: Sequence[PastChange], at: Mapping[str, int], now: int) -> None:
        self.changes = changes
        self.now = now
        self._files = len(at)
        placed = [[at[path] for path in change.paths if path in at] for change in changes]
        self._sizes = np.array([len(change.paths) for change in changes], dtype=np.float64)
        self._file = np.array([file for files in placed for file in files], dtype=np.int64)
        self._change = np.repeat(np.arange(len(changes)), [len(files) for files in placed])
        kept = self._sizes[self._change] <= MOST_FILES if len(changes) else np.zeros(0, dtype=bool)
        self._file, self._change = self._file[kept], self._change[kept]
        self._ages = np.maximum(0.0, (now - np.array([one.time for one in changes], dtype=np.float64)) / DAY)

    @cached_property
    def messages(self) -> BM25Index:
        """Return the index over messages."""
        return BM25Index(join([change.words for change in self.changes]))

    @cached_property
    def by_change(self) -> NDArray[np.int64]:
        """Return where the files of each change begin."""
        return np.searchsorted(self._change, np.arange(len(self.changes) + 1))

    def nearest(self, scores: Scores, count: int = NEIGHBOURS) -> list[tuple[int, float]]:
        """Return the best changes and their share of the best score; the newer first among equals."""
        count = min(count, len(scores))
        if not count or scores.max() <= 0:
            return []
        chosen = np.argpartition(-scores, count - 1)[:count]
        order = chosen[np.lexsort((chosen, -scores[chosen]))]
        return [(int(at), float(scores[at] / scores[order[0]])) for at in order if scores[at] > 0]

    def spread(self, neighbours: Iterable[tuple[int, float]]) -> Scores:
        """Give each file the best of its changes' scores over the root of their size."""
        scores = np.zeros(self._files)
        for at, score in neighbours:
            files = self._file[self.by_change[at] : self.by_change[at + 1]]
            if len(files):
                scores[files] = np.maximum(scores[files], score / np.sqrt(self._sizes[at]))
        return scores

    def recency(self) -> Scores:
        """Return 1 for a file changed now, half after 180 days."""
        scores = np.zeros(self._files)
        np.maximum.at(scores, self._file, (0.5 ** (self._ages / RECENCY_HALF_LIFE))[self._change])
        return scores
