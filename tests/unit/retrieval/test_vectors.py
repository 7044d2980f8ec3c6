from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from retrieval.errors import IndexDamagedError
from retrieval.vectors import EXACT_UNTIL, VectorIndex

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def rows(count: int) -> NDArray[np.float32]:
    made = np.random.default_rng(0).normal(size=(count, 16)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


@pytest.mark.parametrize("exact_until", [1_000, 50])
def test_vectors_are_found_removed_and_replaced(exact_until: int, tmp_path: Path) -> None:
    vectors = rows(300)
    index = VectorIndex(16, exact_until=exact_until)
    index.add(range(1_000, 1_300), vectors)

    assert index.exact is (exact_until == 1_000)
    assert index.search(vectors[7], 1)[0][0] == 1_007
    assert index.search(vectors[7], 1)[0][1] == pytest.approx(1, abs=1e-5)
    index.remove([1_007])
    assert index.search(vectors[7], 1)[0][0] != 1_007
    index.add([1_008], vectors[7:8])
    assert (index.search(vectors[7], 1)[0][0], len(index)) == (1_008, 299)

    index.save(tmp_path / "v.faiss")
    loaded = VectorIndex.load(tmp_path / "v.faiss", exact_until=exact_until)
    assert loaded.search(vectors[7], 5) == index.search(vectors[7], 5)
    assert (loaded.exact, sorted(loaded.ids)) == (index.exact, sorted(index.ids))
    changed = loaded.writable()
    changed.add([5], vectors[7:8])
    assert ([one for one, _ in changed.search(vectors[7], 2)], len(loaded)) == ([5, 1_008], 299)


def test_exact_search_is_the_inner_product_with_ties_by_id() -> None:
    index = VectorIndex(2)
    index.add([9, 3, 5], np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32))

    assert index.search(np.array([1, 0], dtype=np.float32), 9) == [(3, 1.0), (9, 1.0), (5, 0.0)]


def test_nothing_is_found_in_nothing() -> None:
    assert VectorIndex(2).search(np.array([1, 0], dtype=np.float32), 3) == []


def test_the_graph_is_for_more_than_a_hundred_thousand() -> None:
    assert EXACT_UNTIL == 100_000


def test_a_damaged_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "v.faiss").write_bytes(b"no index")

    with pytest.raises(IndexDamagedError, match="suture index --delete"):
        VectorIndex.load(tmp_path / "v.faiss")
