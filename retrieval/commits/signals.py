"""What speaks for a commit: every signal for every commit, as the columns of one table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.commits.document import Field, Kind
from retrieval.commits.families import best_of_family, families
from retrieval.commits.lexical import bm25, containing, damped, relative
from retrieval.commits.mentions import file_names, issue_numbers, module_names
from retrieval.commits.words import class_terms, query_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from retrieval.commits.columns import History, Scores
    from retrieval.commits.domain import AdvisoryQuery
    from retrieval.commits.releases import Releases

DAY = 86_400.0
HALF_WEIGHT_DAYS = 15.0
LATE_WEIGHT = 3.0
"""A day after publication counts as this many before it: fixes come before their advisory."""

LATE_DAYS = 7.0
MANY_FILES = 40
SECURITY_WORDS = 3
_WEEK = 7.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalTable:
    """Signals by name, one value a commit; most lie within 0..1."""

    names: tuple[str, ...]
    values: NDArray[np.float32]
    """Shape (commits, signals)."""

    def weighted(self, weights: Mapping[str, float]) -> Scores:
        """Return the weighted sum for each commit; a signal without weight does not count."""
        vector = np.array([weights.get(name, 0.0) for name in self.names])
        return np.asarray(self.values @ vector, dtype=np.float64)

    def column(self, name: str) -> Scores:
        """Return one signal for every commit."""
        return self.values[:, self.names.index(name)].astype(np.float64)

    def row(self, position: int) -> dict[str, float]:
        """Return the signals of one commit that are not 0."""
        values = self.values[position]
        return {name: float(value) for name, value in zip(self.names, values, strict=True) if value}


class Signals:
    """Computes the table of an advisory over one history; what does not depend on the advisory is kept."""

    def __init__(self, history: History, releases: Releases) -> None:
        self.history = history
        self._releases = releases

    def table(self, query: AdvisoryQuery, *, until: float | None = None) -> SignalTable:
        """Return every signal for every commit, with the releases known ``until`` a time (all, if None)."""
        columns = (
            self._lexical(query)
            | self._time(query)
            | self._window(query, until)
            | self._names(query)
            | self._nature
        )
        return SignalTable(
            names=tuple(columns), values=np.stack(list(columns.values()), axis=1).astype(np.float32)
        )

    @cached_property
    def family(self) -> NDArray[np.int64]:
        """Return the number of each commit's family."""
        return families(self.history)

    def _lexical(self, query: AdvisoryQuery) -> dict[str, Scores]:
        terms = damped(query_terms(query.text))
        words = (Field.MESSAGE, Field.PATHS, Field.DIFF, Field.SECTIONS, Field.DOCUMENT)
        segments = self.history.segments
        found = {str(field): relative(bm25(segments, field, terms)) for field in words}
        kind = dict.fromkeys(sorted(class_terms(query.text)), 1.0)
        found["weakness"] = relative(bm25(segments, Field.MESSAGE, kind))
        return found

    def _time(self, query: AdvisoryQuery) -> dict[str, Scores]:
        nothing = np.zeros(len(self.history))
        if query.published is None:
            return dict.fromkeys(("date", "author_date", "late"), nothing)
        published = datetime.combine(query.published, time(), UTC).timestamp()
        committed, authored = self._column("committed"), self._column("authored")
        return {
            "date": _nearness(published - committed),
            "author_date": _nearness(published - authored),
            "late": (committed - published > LATE_DAYS * DAY).astype(np.float64),
        }

    def same_change(self, positions: Iterable[int]) -> frozenset[int]:
        """Return the copies of commits, and the merges that brought them to the main line."""
        wanted = list(positions)
        copies = np.flatnonzero(np.isin(self.family, self.family[wanted]))
        merges = (self.history.brought_by(position) for position in wanted)
        return frozenset(copies.tolist()) | {merge for merge in merges if merge is not None}

    def _window(self, query: AdvisoryQuery, until: float | None) -> dict[str, Scores]:
        """Return whether a commit or a copy of it lies in the version window, and how near its end."""
        committed = self._column("committed")
        inside = np.zeros(len(self.history))
        nearness = np.zeros(len(self.history))
        releases = self._releases if until is None else self._releases.until(until)
        for window in releases.windows(query):
            inside = np.maximum(inside, window.commits)
            if window.until is not None:
                days = np.maximum(committed[window.until] - committed, 0.0) / DAY
                nearness = np.maximum(nearness, window.commits / (1 + np.log1p(days / _WEEK)))
        return {
            "window": best_of_family(self.family, inside),
            "window_end": best_of_family(self.family, nearness),
        }

    def _names(self, query: AdvisoryQuery) -> dict[str, Scores]:
        numbers = issue_numbers(" ".join((query.text, *query.links)))
        issue = self._holds(Field.MENTIONS, [f"#{number}" for number in sorted(numbers)])
        files = self._holds(Field.NAMES, sorted(file_names(query.text)))
        modules = self._holds(Field.NAMES, sorted(module_names(query.text)))
        return {
            "id": self._holds(Field.MENTIONS, [name.lower() for name in query.ids]),
            "issue": issue,
            "issue_of_copy": best_of_family(self.family, issue) * (1 - issue),
            "file": np.maximum(files, 0.5 * modules),
        }

    @cached_property
    def _nature(self) -> dict[str, Scores]:
        """Return what a commit is like, whatever is asked."""
        kind = self._column("kind").astype(np.int64)
        files, lines = self._column("files"), self._column("lines")
        sizes = np.bincount(self.family, minlength=1)[self.family]
        flags: dict[str, Scores] = {
            flag.name.lower(): (kind & flag.value > 0).astype(np.float64) for flag in Kind if flag.name
        }
        return flags | {
            "security_words": np.minimum(self._column("security_words"), SECURITY_WORDS) / SECURITY_WORDS,
            "copies": np.minimum(sizes - 1, 3) / 3,
            "main_line": self.history.on_main_line().astype(np.float64),
            "many_files": (files > MANY_FILES).astype(np.float64),
            "lines": np.log1p(lines) / 10,
            "files": np.log1p(files) / 4,
        }

    def _holds(self, field: Field, tokens: list[str]) -> Scores:
        return containing(self.history.segments, field, tokens).astype(np.float64)

    @cached_property
    def _column(self) -> Callable[[str], Scores]:
        kept: dict[str, Scores] = {}

        def column(name: str) -> Scores:
            if name not in kept:
                kept[name] = self.history.column(name)
            return kept[name]

        return column


def _nearness(seconds_before: Scores) -> Scores:
    days = seconds_before / DAY
    return np.asarray(1 / (1 + np.log1p(np.where(days < 0, -LATE_WEIGHT * days, days) / HALF_WEIGHT_DAYS)))
