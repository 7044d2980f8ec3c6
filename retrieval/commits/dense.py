"""A latent space over the commits of one history: TF-IDF of the indexed tokens and a truncated SVD.

It needs neither weights nor the commits' texts again, for the index holds every token. Only ``paper`` uses it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from retrieval.commits.columns import History, Scores
    from retrieval.commits.document import Field

DIMENSIONS = 128
_RAREST = 2
_SEED = 0


class LatentSpace:
    """Commits as vectors of length one; ``similarities`` says how near a query lies to each."""

    def __init__(self, history: History, field: Field, dimensions: int = DIMENSIONS) -> None:
        self._history = history
        self._field = field
        self._dimensions = dimensions

    def similarities(self, terms: Mapping[str, float]) -> Scores:
        """Return the cosine of the query with every commit; 0 where either has no known token."""
        query = np.zeros(len(self._places))
        for term, weight in terms.items():
            place = self._places.get(term.encode())
            if place is not None:
                query[place] = weight * self._idf[place]
        if self._axes is None or not query.any():
            return np.zeros(len(self._history))
        folded = self._axes @ query
        length = float(np.linalg.norm(folded))
        return np.asarray(self._vectors @ (folded / (length or 1.0)), dtype=np.float64)

    @cached_property
    def _counts(self) -> sparse.csr_matrix:
        """Return commits by tokens, for tokens that more than one commit has."""
        parts = []
        offset = 0
        for segment in self._history.segments:
            found = segment.postings(self._field, segment.tokens(""))
            parts.append((found.commits + offset, segment.vocabulary[found.asked], found.counts))
            offset += len(segment)
        tokens = np.concatenate([token for _, token, _ in parts])
        names, columns, held = np.unique(tokens, return_inverse=True, return_counts=True)
        kept = held >= _RAREST
        numbers = np.cumsum(kept) - 1
        used = kept[columns]
        rows = np.concatenate([row for row, _, _ in parts])[used]
        counts = np.concatenate([count for _, _, count in parts])[used]
        self._names = names[kept]
        shape = (offset, int(kept.sum()))
        return sparse.csr_matrix((counts, (rows, numbers[columns[used]])), shape=shape)

    @cached_property
    def _places(self) -> dict[bytes, int]:
        _ = self._counts
        return {bytes(name): place for place, name in enumerate(self._names)}

    @cached_property
    def _idf(self) -> NDArray[np.float64]:
        frequency = np.bincount(self._counts.indices, minlength=self._counts.shape[1])
        return np.asarray(np.log((1 + self._counts.shape[0]) / (1 + frequency)) + 1)

    @cached_property
    def _weighted(self) -> sparse.csr_matrix:
        damped = self._counts.astype(np.float64)
        damped.data = 1 + np.log(damped.data)
        weighted = damped @ sparse.diags(self._idf)
        lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1))).ravel()
        return sparse.csr_matrix(sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ weighted)

    @cached_property
    def _axes(self) -> NDArray[np.float64] | None:
        rank = min(self._dimensions, min(self._weighted.shape) - 1)
        if rank < 1:
            return None
        _, _, axes = svds(self._weighted, k=rank, random_state=np.random.default_rng(_SEED))
        return np.asarray(axes)

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        assert self._axes is not None  # noqa: S101 - asked for after the axes only
        vectors = self._weighted @ self._axes.T
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1))
