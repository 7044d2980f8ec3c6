"""Weights for signals, learned from queries with known answers by listwise softmax regression. Pure.

The loss of a query is minus the logarithm of the probability that softmax over its candidates gives to the relevant
ones together (ListNet's top-one probability; Cao et al. 2007), with a ridge that keeps weights small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

RIDGE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedQuery:
    """One query: ``signals`` has shape (candidates, signals), ``relevant`` says which candidates answer it."""

    group: str
    signals: NDArray[np.float64]
    relevant: NDArray[np.bool_]


def fit(queries: Sequence[RankedQuery], *, ridge: float = RIDGE) -> NDArray[np.float64]:
    """Return the weights that make the relevant candidates likeliest; raise ``ValueError`` without queries."""
    if not queries:
        raise ValueError("weights need at least one query")
    start = np.zeros(queries[0].signals.shape[1])
    found = minimize(_loss, start, args=(queries, ridge), jac=True, method="L-BFGS-B")
    return np.asarray(found.x, dtype=np.float64)


def leave_one_group_out(
    queries: Sequence[RankedQuery], *, ridge: float = RIDGE
) -> Mapping[str, NDArray[np.float64]]:
    """Return for each group the weights fitted without it."""
    groups = dict.fromkeys(query.group for query in queries)
    return {group: fit([query for query in queries if query.group != group], ridge=ridge) for group in groups}


def _loss(
    weights: NDArray[np.float64], queries: Sequence[RankedQuery], ridge: float
) -> tuple[float, NDArray[np.float64]]:
    loss = ridge * float(weights @ weights)
    gradient = 2 * ridge * weights
    for query in queries:
        scores = query.signals @ weights
        powers = np.exp(scores - scores.max())
        relevant = powers * query.relevant
        loss -= float(np.log(relevant.sum()) - np.log(powers.sum()))
        gradient -= query.signals.T @ (relevant / relevant.sum() - powers / powers.sum())
    return loss, gradient
