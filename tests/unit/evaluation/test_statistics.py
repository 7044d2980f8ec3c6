from __future__ import annotations

import math

import pytest
from scipy.stats import binomtest

from evaluation.statistics import (
    Spread,
    bootstrap_mean,
    mcnemar_exact,
    paired_difference,
    recall_at_k,
    reciprocal_rank,
    spread,
)


def test_the_interval_of_a_proportion_is_near_the_normal_one() -> None:
    values = [1.0] * 60 + [0.0] * 40
    half = 1.96 * math.sqrt(0.6 * 0.4 / 100)

    interval = bootstrap_mean(values)

    assert interval.mean == pytest.approx(0.6)
    assert interval.low == pytest.approx(0.6 - half, abs=0.015)
    assert interval.high == pytest.approx(0.6 + half, abs=0.015)


def test_equal_values_leave_no_doubt() -> None:
    interval = bootstrap_mean([0.5, 0.5, 0.5], resamples=50)

    assert (interval.low, interval.mean, interval.high) == (0.5, 0.5, 0.5)


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    values = [0.1, 0.9, 0.4, 0.3]

    assert bootstrap_mean(values, resamples=200) == bootstrap_mean(values, resamples=200)
    assert bootstrap_mean(values, resamples=200) != bootstrap_mean(values, resamples=200, seed=1)


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        bootstrap_mean([])


def test_pairing_sees_a_small_steady_gain_that_spread_would_hide() -> None:
    theirs = [value / 50 for value in range(50)]
    ours = [value + 0.02 for value in theirs]

    interval = paired_difference(ours, theirs, resamples=200)

    assert interval.low == pytest.approx(0.02)


def test_pairs_must_belong_together() -> None:
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([1.0, 2.0], [1.0])


def test_recall_is_the_share_of_what_is_wanted() -> None:
    assert [recall_at_k("abcd", "bdx", k) for k in (1, 2, 4)] == [0, 1 / 3, 2 / 3]


def test_recall_without_anything_to_find_is_refused() -> None:
    with pytest.raises(ValueError, match="something to find"):
        recall_at_k("abc", "", 1)


def test_reciprocal_rank_is_of_the_first_hit_only() -> None:
    assert [reciprocal_rank("abc", "cb"), reciprocal_rank("abc", "x")] == [1 / 2, 0.0]


def test_spread_is_of_the_sample_and_unknown_for_one_value() -> None:
    two = spread([1.0, 3.0])
    assert two.mean == 2.0
    assert two.deviation == pytest.approx(math.sqrt(2))
    assert spread([1.0]) == Spread(mean=1.0, deviation=None)
    with pytest.raises(ValueError, match="at least one value"):
        spread([])


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 5, 1.0), (0, 6, 2 / 64), (6, 0, 2 / 64), (8, 2, 0.109375)],
)
def test_mcnemars_test_is_the_doubled_binomial_tail(ours: int, theirs: int, expected: float) -> None:
    assert mcnemar_exact(ours, theirs) == pytest.approx(expected)


def test_mcnemars_test_agrees_with_scipy() -> None:
    for ours, theirs in ((3, 9), (0, 4), (7, 8), (20, 5)):
        assert mcnemar_exact(ours, theirs) == pytest.approx(binomtest(ours, ours + theirs).pvalue)


def test_counts_are_not_negative() -> None:
    with pytest.raises(ValueError, match="not negative"):
        mcnemar_exact(-1, 2)
