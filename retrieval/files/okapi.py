"""BM25Okapi of ``rank-bm25``: the reference that ours is held against, and the lexical side of preset ``paper``.

The only place that knows the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rank_bm25 import BM25Okapi

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from retrieval.files.bags import Bags


class OkapiIndex:
    """BM25Okapi with its own defaults (k1 1.5, b 0.75, epsilon 0.25) over bags of terms."""

    def __init__(self, bags: Bags) -> None:
        self._size = len(bags)
        texts = [
            np.repeat(bags.terms[start:end], bags.counts[start:end]).tolist()
            for start, end in zip(bags.starts, bags.ends, strict=True)
        ]
        self._index = BM25Okapi(texts) if any(texts) else None

    def scores(self, query: Mapping[int, float]) -> NDArray[np.float64]:
        """Return the score of every bag; a term counts as often as the query holds it."""
        if self._index is None:
            return np.zeros(self._size)
        asked = [term for term, count in query.items() for _ in range(int(count))]
        return np.asarray(self._index.get_scores(asked), dtype=np.float64)
