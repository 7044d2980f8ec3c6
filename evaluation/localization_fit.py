"""Weights of signals fitted to cases: a conditional logit over the files of each case. Pure.

McFadden, "Conditional logit analysis of qualitative choice behavior" (1974): the probability of a file is the
softmax of its weighted signals, the fit maximises that of the changed files. Weights are never negative, since no
signal may speak against a file, and are held small by their squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from retrieval.files.fusion import Preset

    Matrix = NDArray[np.float64]

RIDGE = 10.0
CANDIDATES = 60
"""Files of a case that take part: those with the highest sums, and the changed ones."""

MOST_CHANGED = 6
"""A case with more changed files is a sweep through the tree, which no report names; it is not fitted to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCase:
    """A case: ``signals[i, j]`` is signal ``names[j]`` of ``paths[i]``; ``missing`` counts changed files not there."""

    id: str
    repository: str
    paths: tuple[str, ...]
    names: tuple[str, ...]
    signals: Matrix
    changed: tuple[int, ...]
    missing: int = 0


def ranking(case: MeasuredCase, weights: Matrix) -> tuple[str, ...]:
    """Return the paths, best first; equal scores in path order."""
    order = np.lexsort((np.arange(len(case.paths)), -(case.signals @ weights)))
    return tuple(case.paths[at] for at in order)


def fit(cases: Sequence[MeasuredCase], *, ridge: float = RIDGE) -> Matrix:
    """Return one weight a signal."""
    width = len(cases[0].names)
    chosen = [_candidates(case) for case in cases if 0 < len(case.changed) <= MOST_CHANGED]

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        value = 0.5 * ridge * float(weights @ weights)
        slope = ridge * weights
        for signals, changed in chosen:
            scores = signals @ weights
            scores = scores - scores.max()
            odds = np.exp(scores)
            value -= float(scores[changed].mean() - np.log(odds.sum()))
            slope = slope - (signals[changed].mean(axis=0) - (odds / odds.sum()) @ signals)
        return value, slope

    found = minimize(loss, np.full(width, 0.5), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * width)
    return np.asarray(found.x, dtype=np.float64)


def fit_leaving_out(cases: Sequence[MeasuredCase], *, ridge: float = RIDGE) -> Mapping[str, Matrix]:
    """Return for each repository the weights fitted on all the others."""
    names = sorted({case.repository for case in cases})
    return {name: fit([case for case in cases if case.repository != name], ridge=ridge) for name in names}


def shipped_weights(names: Sequence[str], preset: Preset) -> Matrix:
    """Return the weights of a preset in the order of ``names``."""
    sides = ((preset.lexical, 1 - preset.alpha), (preset.history, preset.alpha))
    shares = {name: share * weight for side, share in sides for name, weight in side.items()}
    return np.array([shares[name] for name in names], dtype=np.float64)


def _candidates(case: MeasuredCase) -> tuple[Matrix, NDArray[np.bool_]]:
    changed = np.array(case.changed, dtype=np.int64)
    order = np.argsort(-case.signals.sum(axis=1), kind="stable")[:CANDIDATES]
    chosen = np.union1d(order, changed)
    return case.signals[chosen], np.isin(chosen, changed)
