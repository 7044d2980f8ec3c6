"""The order of the answer."""

from __future__ import annotations

import numpy as np

from retrieval.commits.document import NO_HASH, SKETCH
from retrieval.commits.shortlist import best_first, interleaved, lifted


def test_the_best_come_first_and_equals_keep_their_order() -> None:
    assert best_first(np.array([1.0, 5.0, 5.0, 2.0]), 3).tolist() == [1, 2, 3]
    assert best_first(np.array([1.0, 2.0]), 9).tolist() == [1, 0]
    assert best_first(np.zeros(0), 5).tolist() == []
    assert best_first(np.array([1.0]), 0).tolist() == []


def test_a_copy_is_lifted_towards_the_better_one() -> None:
    sketches = np.full((3, SKETCH), NO_HASH, dtype=np.uint32)
    sketches[0, :3] = sketches[2, :3] = (1, 2, 3)
    sketches[1, :3] = (7, 8, 9)

    raised = lifted(np.array([10.0, 5.0, 0.0]), sketches, kinship=0.8, threshold=0.6)

    assert raised.tolist() == [10.0, 5.0, 8.0]


def test_the_second_half_of_the_places_goes_by_the_plain_ranking() -> None:
    trusted = np.array([9.0, 8, 7, 6, 5, 4])
    plain = np.array([0.0, 9, 0, 0, 8, 7])

    assert interleaved(trusted, plain, 4, share=0.5) == [0, 1, 4, 5]
    assert interleaved(trusted, plain, 0, share=0.5) == []
    assert interleaved(trusted, plain, 1, share=0.5) == [0]
    assert sorted(interleaved(trusted, plain, 99, share=0.5)) == list(range(6))
