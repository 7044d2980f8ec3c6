"""What past changes say: the files that commits with like messages touched, and how lately each file changed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.files.bags import pack
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
HALF_LIFE = 180.0

Neighbours = tuple[tuple[int, float], ...]
"""Numbers of past changes and their share of the best score, the likest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChange:
    """A past commit: its files under the names they bear now, its time in seconds since 1970."""

    id: str
    time: int
    subject: str
    paths: tuple[str, ...]
    fixes: bool


class Log:
    """Past changes, newest first, and the words of their messages side by side."""

    def __init__(self, changes: Sequence[PastChange] = (), words: Bags | None = None) -> None:
        self.changes = changes
        self._words = words if words is not None else pack([])
        self.sizes = np.array([len(change.paths) for change in changes], dtype=np.int64)
        self.times = np.array([change.time for change in changes], dtype=np.int64)
        self.numbers: dict[str, int] = {}
        flat = (path for change in changes for path in change.paths)
        numbered = (self.numbers.setdefault(path, len(self.numbers)) for path in flat)
        self.paths = np.fromiter(numbered, dtype=np.int64, count=int(self.sizes.sum()))
        self.owners = np.repeat(np.arange(len(changes)), self.sizes)

    @cached_property
    def messages(self) -> BM25Index:
        """Return the index over messages."""
        return BM25Index(self._words)

    def nearest(self, query: Mapping[int, float], *, after: int = 0, count: int = NEIGHBOURS) -> Neighbours:
        """Return the changes whose messages are likest, the newer first among equals; those from ``after`` on."""
        scores = self.messages.scores(query)[after:]
        count = min(count, len(scores))
        if not count or scores.max() <= 0:
            return ()
        least = np.partition(scores, -count)[-count]
        above = np.flatnonzero(scores > least)
        chosen = np.concatenate((above, np.flatnonzero(scores == least)[: count - len(above)]))
        order = chosen[np.lexsort((chosen, -scores[chosen]))]
        return tuple(
            (int(at) + after, float(scores[at] / scores[order[0]])) for at in order if scores[at] > 0
        )


class History:
    """A log against the files ``at``, as of one moment."""

    def __init__(self, log: Log, at: Mapping[str, int], now: int) -> None:
        self._log = log
        self._now = now
        self._files = len(at)
        placed = np.array([at.get(path, -1) for path in log.numbers], dtype=np.int64)
        files = placed[log.paths] if len(log.paths) else log.paths
        known = files >= 0
        self._file = files[known]
        self._change = log.owners[known]

    @cached_property
    def _bounds(self) -> NDArray[np.int64]:
        """Return where the files of each change begin."""
        return np.searchsorted(self._change, np.arange(len(self._log.changes) + 1))

    def spread(self, neighbours: Iterable[tuple[int, float]]) -> Scores:
        """Give each file the best of its changes' scores over the root of their size."""
        scores = np.zeros(self._files)
        for at, score in neighbours:
            files = self._file[self._bounds[at] : self._bounds[at + 1]]
            if len(files):
                scores[files] = np.maximum(scores[files], score / self._log.sizes[at] ** 0.5)
        return scores

    def recency(self, *, after: int = 0) -> Scores:
        """Return 1 for a file changed now, half after 180 days; changes before number ``after`` are to come yet."""
        now = self._now if not after else int(self._log.times[after - 1])
        ages = np.maximum(0.0, (now - self._log.times) / DAY)
        weights = np.where(np.arange(len(ages)) >= after, 0.5 ** (ages / HALF_LIFE), 0.0)
        scores = np.zeros(self._files)
        np.maximum.at(scores, self._file, weights[self._change])
        return scores
