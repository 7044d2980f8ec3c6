"""What past changes say about a report: one number a file and signal, higher is likelier. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.files.issues import issue_counts, issue_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.files.history import History
    from retrieval.files.issues import Likeness
    from retrieval.files.query import ParsedQuery

    Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Commits and like issues against the files ``at``."""

    history: History
    similar: tuple[Likeness, ...]
    at: Mapping[str, int]


def log_body(query: ParsedQuery, past: Past) -> Scores:
    """Return the files of the commits whose messages are most like the whole text."""
    history = past.history
    return history.spread(history.nearest(history.messages.scores(query.body)))


def log_title(query: ParsedQuery, past: Past) -> Scores:
    """Return the same for the first line."""
    history = past.history
    return history.spread(history.nearest(history.messages.scores(query.title)))


def recency(query: ParsedQuery, past: Past) -> Scores:
    """Return how lately a file was changed, whatever the text says."""
    del query
    return past.history.recency()


def issues(query: ParsedQuery, past: Past) -> Scores:
    """Return the files that the fixes of like issues changed."""
    del query
    return issue_scores(past.similar, past.at)


def paper_issues(query: ParsedQuery, past: Past) -> Scores:
    """Return how many of the ten nearest issues changed a file: the history side of preset ``paper``."""
    del query
    return issue_counts(past.similar, past.at)


HISTORY: Mapping[str, Callable[[ParsedQuery, Past], Scores]] = {
    "log_body": log_body,
    "log_title": log_title,
    "recency": recency,
    "issues": issues,
    "paper_issues": paper_issues,
}
"""Every signal of the history side by its name."""
