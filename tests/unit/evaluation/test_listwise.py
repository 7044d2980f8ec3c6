"""Weights are learned from answers, and never from the repository they are judged on."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.listwise import RankedQuery, fit, leave_one_group_out


def build_query(group: str, telling: int, *, seed: int) -> RankedQuery:
    """Return a query of 20 candidates, the answer of which stands out in one signal of three."""
    signals = np.random.default_rng(seed).random((20, 3))
    relevant = np.arange(20) == seed % 20
    signals[relevant, telling] = 2.0
    return RankedQuery(group=group, signals=signals, relevant=relevant)


def test_the_telling_signal_gets_the_weight() -> None:
    weights = fit([build_query("a", 1, seed=seed) for seed in range(30)], ridge=0.1)

    assert int(np.argmax(weights)) == 1
    assert weights[1] > 3 * max(abs(weights[0]), abs(weights[2]))


def test_a_larger_ridge_keeps_weights_smaller() -> None:
    queries = [build_query("a", 1, seed=seed) for seed in range(30)]

    assert np.linalg.norm(fit(queries, ridge=10.0)) < np.linalg.norm(fit(queries, ridge=0.1))


def test_the_gradient_is_that_of_the_loss() -> None:
    from scipy.optimize import check_grad

    from evaluation.listwise import _loss

    queries = [build_query("a", 0, seed=1), build_query("b", 2, seed=2)]
    at = np.array([0.3, -0.2, 0.5])

    error = check_grad(lambda w: _loss(w, queries, 0.5)[0], lambda w: _loss(w, queries, 0.5)[1], at)

    assert error < 1e-5


def test_a_group_is_judged_by_weights_that_did_not_see_it() -> None:
    ours = [build_query("ours", 0, seed=seed) for seed in range(10)]
    theirs = [build_query("theirs", 2, seed=seed) for seed in range(10)]

    weights = leave_one_group_out([*ours, *theirs])

    assert weights["ours"] == pytest.approx(fit(theirs))
    assert weights["theirs"] == pytest.approx(fit(ours))


def test_nothing_is_learned_from_nothing() -> None:
    with pytest.raises(ValueError, match="at least one query"):
        fit([])
