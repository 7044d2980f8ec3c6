"""What past changes say about a report: one number a file and signal, higher is likelier. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.files.issues import issue_counts, issue_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.files.history import History, Neighbours
    from retrieval.files.issues import Likeness

    Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Past changes and like issues against the files ``at``; commits from number ``after`` on are in the past."""

    history: History
    by_title: Neighbours
    by_body: Neighbours
    similar: tuple[Likeness, ...]
    at: Mapping[str, int]
    after: int = 0


def log_body(past: Past) -> Scores:
    """Return the files of the commits whose messages are most like the whole text."""
    return past.history.spread(past.by_body)


def log_title(past: Past) -> Scores:
    """Return the same for the first line."""
    return past.history.spread(past.by_title)


def recency(past: Past) -> Scores:
    """Return how lately a file was changed, whatever the text says."""
    return past.history.recency(after=past.after)


def issues(past: Past) -> Scores:
    """Return the files that the fixes of like issues changed."""
    return issue_scores(past.similar, past.at)


def paper_issues(past: Past) -> Scores:
    """Return how many of the ten nearest issues changed a file: the history side of preset ``paper``."""
    return issue_counts(past.similar, past.at)


HISTORY: Mapping[str, Callable[[Past], Scores]] = {
    "log_body": log_body,
    "log_title": log_title,
    "recency": recency,
    "issues": issues,
    "paper_issues": paper_issues,
}
"""Every signal of the history side by its name."""
