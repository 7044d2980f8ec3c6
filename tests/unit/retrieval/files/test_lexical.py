"""Our BM25 against the two packages and against the formula by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.files.bags import pack
from retrieval.files.lexical import BM25Index
from retrieval.okapi import OkapiIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

bags = st.lists(
    st.dictionaries(st.integers(0, 30), st.integers(1, 9), min_size=1, max_size=8), min_size=2, max_size=12
)
queries = st.dictionaries(st.integers(0, 30), st.integers(1, 3), min_size=1, max_size=6)


def test_the_formula_by_hand() -> None:
    index = BM25Index(pack([{1: 2, 2: 2}, {2: 4}]))
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))

    assert index.scores({1: 1.0}).tolist() == pytest.approx([idf * 2 * 2.5 / (2 + 1.5), 0.0])


@given(bags, queries)
def test_a_weight_counts_as_often_as_the_term(found: list[dict[int, int]], query: dict[int, int]) -> None:
    index = BM25Index(pack(found))
    singly = sum((index.scores({term: 1.0}) * count for term, count in query.items()), np.zeros(len(found)))

    assert index.scores(query).tolist() == pytest.approx(singly.tolist())


@given(bags, queries)
@settings(max_examples=40)
def test_scores_are_those_of_bm25s(found: list[dict[int, int]], query: dict[int, int]) -> None:
    """The package leaves the constant factor k1 + 1 out; the order cannot differ."""
    package = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    package.index(
        [[str(term) for term, count in bag.items() for _ in range(count)] for bag in found],
        show_progress=False,
    )
    known = [
        str(term) for term, count in query.items() if any(term in bag for bag in found) for _ in range(count)
    ]
    theirs = package.get_scores(known) if known else np.zeros(len(found))

    assert BM25Index(pack(found)).scores(query).tolist() == pytest.approx(
        (theirs * 2.5).tolist(), rel=1e-4, abs=1e-5
    )


@given(bags, queries)
@settings(max_examples=40)
def test_scores_are_those_of_rank_bm25_but_for_the_idf(
    found: list[dict[int, int]], query: dict[int, int]
) -> None:
    """Term by term the two differ by one factor, the ratio of their idf; what is no hit is none in both."""
    ours, theirs = BM25Index(pack(found)), OkapiIndex(pack(found))
    for term in query:
        one, other = ours.scores({term: 1.0}), theirs.scores({term: 1})
        if np.any(other):
            ratio = one[np.flatnonzero(other)] / other[np.flatnonzero(other)]
            assert ratio.tolist() == pytest.approx([ratio[0]] * len(ratio))
            assert np.flatnonzero(one).tolist() == np.flatnonzero(other).tolist()


@pytest.mark.parametrize("found", [[], [{}], [{}, {}]])
def test_nothing_to_find_scores_nothing(found: list[Mapping[int, int]]) -> None:
    assert BM25Index(pack(found)).scores({1: 1.0}).tolist() == [0.0] * len(found)
    assert OkapiIndex(pack(found)).scores({1: 1}).tolist() == [0.0] * len(found)


def test_the_lowest_and_highest_term_are_found() -> None:
    index = BM25Index(pack([{0: 1}, {2**32 - 1: 1}]))

    assert [np.flatnonzero(index.scores({term: 1.0})).tolist() for term in (0, 2**32 - 1, 7)] == [
        [0],
        [1],
        [],
    ]
