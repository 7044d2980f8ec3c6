"""BM25 over bags of terms, weighed when asked: nothing has to be computed again when a file changes. Pure.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with Lucene's idf,
``ln(1 + (N - df + 0.5) / (df + 0.5))``, which is never negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from retrieval.files.bags import Bags

    Scores = NDArray[np.float64]

K1 = 1.5
B = 0.75


class BM25Index:
    """Postings of bags: which bags hold a term, and how often."""

    def __init__(self, bags: Bags) -> None:
        owners = np.repeat(np.arange(len(bags), dtype=np.int32), np.diff(bags.ends, prepend=0))
        order = np.argsort(bags.terms, kind="stable")
        ordered = bags.terms[order]
        firsts = (
            np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
            if len(ordered)
            else np.zeros(0, np.int64)
        )
        self.size = len(bags)
        self.lengths = bags.lengths
        self.mean_length = float(self.lengths.mean()) if self.size else 0.0
        self._terms = ordered[firsts]
        self._bounds = np.concatenate((firsts, [len(ordered)]))
        self._owners = owners[order]
        self._counts = bags.counts[order]

    def postings(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """Return the bags that hold ``term`` and how often each does."""
        at = int(np.searchsorted(self._terms, np.uint32(term)))
        if at == len(self._terms) or self._terms[at] != term:
            return self._owners[:0], self._counts[:0]
        bounds = slice(self._bounds[at], self._bounds[at + 1])
        return self._owners[bounds], self._counts[bounds]

    def idf(self, frequency: int) -> float:
        """Return the weight of a term that ``frequency`` bags hold."""
        return float(np.log1p((self.size - frequency + 0.5) / (frequency + 0.5)))

    def scores(self, query: Mapping[int, float], *, k1: float = K1, b: float = B) -> Scores:
        """Return the score of every bag; ``query`` gives each term its weight, such as its count."""
        scores = np.zeros(self.size)
        if not self.size or not self.mean_length:
            return scores
        norms = k1 * (1 - b + b * self.lengths / self.mean_length)
        for term, weight in query.items():
            owners, counts = self.postings(term)
            if len(owners):
                frequency = counts.astype(np.float64)
                idf = self.idf(len(owners))
                scores[owners] += weight * idf * frequency * (k1 + 1) / (frequency + norms[owners])
        return scores
