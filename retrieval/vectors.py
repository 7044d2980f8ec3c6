"""Vectors by id in faiss: exact up to 100,000, a navigable graph above; on disk memory-mapped.

The only place that knows the SDK.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from retrieval.errors import IndexDamagedError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

EXACT_UNTIL = 100_000
_NEIGHBOURS = 32
_EFFORT = 128


class VectorIndex:
    """Finds the nearest vectors by inner product; ids are whole numbers of the caller's choice."""

    def __init__(self, dimensions: int, *, exact_until: int = EXACT_UNTIL) -> None:
        self._exact_until = exact_until
        self._index: Any = faiss.IndexIDMap2(faiss.IndexFlatIP(dimensions))
        self._exact = True

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def exact(self) -> bool:
        """Say whether every vector is compared."""
        return self._exact

    @property
    def ids(self) -> NDArray[np.int64]:
        """Return the ids that are held."""
        return np.asarray(faiss.vector_to_array(self._index.id_map), dtype=np.int64)

    def add(self, ids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add vectors; one that is known is replaced."""
        known = set(self.ids.tolist()) & set(ids)
        if known:
            self.remove(sorted(known))
        self._index.add_with_ids(np.ascontiguousarray(vectors, np.float32), np.asarray(ids, np.int64))
        if self._exact and len(self) > self._exact_until:
            self._rebuild(self.ids, self._all(), exact=False)

    def remove(self, ids: Sequence[int]) -> None:
        """Forget vectors; the graph cannot, so it is built again."""
        if self._exact:
            self._index.remove_ids(np.asarray(ids, np.int64))
            return
        kept = ~np.isin(self.ids, np.asarray(ids, np.int64))
        self._rebuild(self.ids[kept], self._all()[kept], exact=int(kept.sum()) <= self._exact_until)

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """Return at most ``k`` ids and their inner products, highest first, the lower id first among equals."""
        if not len(self) or k < 1:
            return []
        products, ids = self._index.search(
            np.ascontiguousarray(vector.reshape(1, -1), np.float32), min(k, len(self))
        )
        found = [
            (int(one), float(product)) for one, product in zip(ids[0], products[0], strict=True) if one >= 0
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def save(self, path: Path) -> None:
        """Write beside and move into place: a reader sees the old file or the new one."""
        beside = path.with_suffix(".new")
        faiss.write_index(self._index, str(beside))
        beside.replace(path)

    @classmethod
    def load(cls, path: Path, *, exact_until: int = EXACT_UNTIL) -> VectorIndex:
        """Map a saved index into memory, to be searched only; raise ``IndexDamagedError``."""
        try:
            index: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP)
        except RuntimeError as error:
            raise IndexDamagedError(path.parent) from error
        loaded = cls(index.d, exact_until=exact_until)
        loaded._index = index
        loaded._exact = not isinstance(faiss.downcast_index(index.index), faiss.IndexHNSW)
        return loaded

    def writable(self) -> VectorIndex:
        """Return a copy in memory that can be added to."""
        copy = VectorIndex(self._index.d, exact_until=self._exact_until)
        copy._rebuild(self.ids, self._all(), exact=self._exact)
        return copy

    def _all(self) -> NDArray[np.float32]:
        inner = faiss.downcast_index(self._index.index)
        return np.asarray(inner.reconstruct_n(0, len(self)), dtype=np.float32)

    def _rebuild(self, ids: NDArray[np.int64], vectors: NDArray[np.float32], *, exact: bool) -> None:
        size = vectors.shape[1]
        inner: Any = faiss.IndexFlatIP(size)
        if not exact:
            inner = faiss.IndexHNSWFlat(size, _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
            inner.hnsw.efSearch = _EFFORT
        self._index = faiss.IndexIDMap2(inner)
        self._index.add_with_ids(np.ascontiguousarray(vectors), ids)
        self._exact = exact
