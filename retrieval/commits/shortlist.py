"""From scores to an order: copies stand together, and half of the places guard against wrong metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.commits.families import alike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.commits.columns import Scores

LOOKED_AT = 60
"""Copies are looked for among this many of the best."""


def best_first(scores: Scores, count: int) -> NDArray[np.int64]:
    """Return the positions of the ``count`` highest scores; equal ones in the order of the history."""
    count = min(count, len(scores))
    if count == 0:
        return np.zeros(0, dtype=np.int64)
    threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
    candidates = np.flatnonzero(scores >= threshold)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:count]


def lifted(scores: Scores, sketches: NDArray[np.uint32], *, kinship: float, threshold: float) -> Scores:
    """Return scores with each commit raised towards the best one that has nearly its patch."""
    raised = scores.copy()
    best = best_first(scores, LOOKED_AT)
    for place, position in enumerate(best):
        for better in best[:place]:
            if alike(sketches[position], sketches[better]) >= threshold:
                raised[position] += kinship * (scores[better] - scores[position])
                break
    return raised


def interleaved(trusted: Scores, plain: Scores, k: int, *, share: float) -> list[int]:
    """Return ``k`` positions: the best by ``trusted`` for its share of the places, then the best by ``plain``."""
    first = [int(position) for position in best_first(trusted, max(1, round(k * share)) if k else 0)]
    taken = set(first)
    rest = [int(position) for position in best_first(plain, k) if int(position) not in taken]
    return (first + rest)[:k]
