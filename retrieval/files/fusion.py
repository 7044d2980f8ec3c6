"""Signals into one score: each within 0..1, the two sides joined by alpha. Pure.

PatchRecall: ``H = alpha * history + (1 - alpha) * lexical``, both sides min-max normalised per query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Scores = NDArray[np.float64]


AGREEMENTS = {
    "log_and_lead": ("log_title", "lead_chunk"),
    "path_and_lead": ("path_title", "lead_chunk"),
}
"""Signals that are high only where two others both are: independent witnesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """How much each signal counts: ``lexical`` and ``history`` are the two sides, each summing to 1."""

    name: str
    alpha: float
    lexical: Mapping[str, float]
    history: Mapping[str, float]
    apart: bool = True
    """Whether each kind of file is ranked among its own; PatchRecall ranks all files at once."""

    @property
    def wants_issues(self) -> bool:
        """Say whether past issues count."""
        return not {"issues", "paper_issues"}.isdisjoint(self.history)


def min_max(scores: Scores) -> Scores:
    """Return scores within 0..1; all zero when nothing differs."""
    low, high = scores.min(initial=np.inf), scores.max(initial=-np.inf)
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def side(signals: Mapping[str, Scores], weights: Mapping[str, float], size: int) -> Scores:
    """Return the weighted sum of one side's signals; one that is missing counts nothing."""
    total = np.zeros(size)
    for name, weight in weights.items():
        if name in signals:
            total += weight * signals[name]
    return total


def fuse(signals: Mapping[str, Scores], preset: Preset, size: int) -> Scores:
    """Return ``H`` for every file."""
    lexical = side(signals, preset.lexical, size)
    history = side(signals, preset.history, size)
    return preset.alpha * history + (1 - preset.alpha) * lexical
