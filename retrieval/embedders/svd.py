"""The embedder without weights: TF-IDF over code-aware tokens and a truncated SVD, fitted on the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import TruncatedSVD

from retrieval.errors import EmbedderError
from retrieval.files.document import bag_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

DIMENSIONS = 256
_SEED = 0


class SVDEmbedder:
    """Fits in seconds, needs nothing from outside; the same texts give the same vectors."""

    name = "svd"

    def __init__(self) -> None:
        self._column: dict[int, int] = {}
        self._idf = np.zeros(0)
        self._axes: NDArray[np.float32] | None = None

    def fit(self, texts: Sequence[str]) -> None:
        """Learn the idf of terms and the main axes; with fewer texts than axes, fewer axes."""
        bags = [bag_of(text) for text in texts]
        seen: dict[int, int] = {}
        for bag in bags:
            for number in bag:
                seen[number] = seen.get(number, 0) + 1
        self._column = {number: at for at, number in enumerate(sorted(seen))}
        frequency = np.array([seen[number] for number in self._column], dtype=np.float64)
        self._idf = np.log((1 + len(bags)) / (1 + frequency)) + 1
        matrix = self._matrix(texts)
        rank = min(DIMENSIONS, min(matrix.shape) - 1)
        self._axes = None
        if rank > 0:
            fitted = TruncatedSVD(rank, random_state=_SEED, algorithm="randomized").fit(matrix)
            self._axes = fitted.components_.astype(np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of length one a text, or of zeros when no term of it is known."""
        if not self._column:
            raise EmbedderError("the svd embedder was not fitted; fit it on past issues first")
        rows = self._matrix(texts)
        vectors = rows.toarray() if self._axes is None else rows @ self._axes.T
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)

    def save(self, path: Path) -> None:
        """Keep what was learnt."""
        axes = np.zeros((0, 0), dtype=np.float32) if self._axes is None else self._axes
        terms = np.fromiter(self._column, dtype=np.uint32, count=len(self._column))
        np.savez(path, terms=terms, idf=self._idf, axes=axes)

    def load(self, path: Path) -> None:
        """Take up what was kept; raise ``OSError`` or ``ValueError``."""
        with np.load(path, allow_pickle=False) as kept:
            self._column = {int(number): at for at, number in enumerate(kept["terms"])}
            self._idf = kept["idf"]
            self._axes = kept["axes"] if kept["axes"].size else None

    def _matrix(self, texts: Sequence[str]) -> csr_matrix:
        columns: list[int] = []
        values: list[float] = []
        ends = [0]
        for text in texts:
            known = [
                (self._column[number], count)
                for number, count in bag_of(text).items()
                if number in self._column
            ]
            weights = np.array([(1 + np.log(count)) * self._idf[at] for at, count in known])
            length = float(np.linalg.norm(weights)) or 1.0
            columns += [at for at, _ in known]
            values += list(weights / length)
            ends.append(len(columns))
        return csr_matrix((values, columns, ends), shape=(len(texts), len(self._column)))
