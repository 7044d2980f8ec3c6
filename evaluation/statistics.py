"""Means with their uncertainty: bootstrap intervals and paired differences. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

RESAMPLES = 10_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean with the bounds of its bootstrap interval at ``LEVEL``."""

    mean: float
    low: float
    high: float


def bootstrap_mean(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """Return the mean and its percentile bootstrap interval; the same values give the same interval.

    Raise ``ValueError`` without values: no mean is not a mean of zero.
    """
    if not values:
        raise ValueError("a mean needs at least one value")
    sample = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(seed)
    means = sample[generator.integers(0, len(sample), size=(resamples, len(sample)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(mean=float(sample.mean()), low=float(low), high=float(high))


def paired_difference(
    ours: Sequence[float], theirs: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Return the mean difference over the same cases with its interval: one without zero is no chance."""
    return bootstrap_mean(
        [one - other for one, other in zip(ours, theirs, strict=True)], resamples=resamples, seed=seed
    )


def recall_at_k(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Return the share of ``relevant`` among the first ``k``; raise ``ValueError`` where nothing is."""
    wanted = set(relevant)
    if not wanted:
        raise ValueError("recall needs something to find")
    return len(wanted & set(ranking[:k])) / len(wanted)


def reciprocal_rank(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> float:
    """Return 1 / the rank of the first relevant entry, 0 when there is none."""
    wanted = set(relevant)
    return next((1 / rank for rank, entry in enumerate(ranking, start=1) if entry in wanted), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A mean and the standard deviation of the sample; one value alone has no deviation."""

    mean: float
    deviation: float | None


def spread(values: Sequence[float]) -> Spread:
    """Return mean and sample standard deviation; raise ``ValueError`` without values."""
    if not values:
        raise ValueError("a mean needs at least one value")
    sample = np.asarray(values, dtype=np.float64)
    deviation = float(sample.std(ddof=1)) if len(values) > 1 else None
    return Spread(mean=float(sample.mean()), deviation=deviation)


def mcnemar_exact(only_ours: int, only_theirs: int) -> float:
    """Return the two-sided p-value of McNemar's exact test on the pairs that differ.

    ``only_ours`` cases were solved by the first configuration alone, ``only_theirs`` by the second. Under the null
    hypothesis each is a fair coin: the sum of the smaller binomial tail, doubled, at most 1.
    """
    if only_ours < 0 or only_theirs < 0:
        raise ValueError("counts of cases are not negative")
    pairs = only_ours + only_theirs
    tail = sum(math.comb(pairs, k) for k in range(min(only_ours, only_theirs) + 1))
    return min(1.0, float(2 * tail / 2**pairs))
