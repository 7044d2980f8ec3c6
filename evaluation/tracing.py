"""Recall of the fix commit: how often a recorded fix stands among the first k, and how sure that figure is.

Weights are fitted with each repository left out in turn, so that no advisory is judged by weights that saw its
repository. *Strict* counts the recorded commits alone; *lenient* also their copies (the same change picked to another
branch) and the merge that brought them to the main line.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from evaluation.errors import EvaluationError
from evaluation.listwise import RankedQuery, fit, leave_one_group_out
from evaluation.tracing_cases import find_repository
from retrieval.commits.presets import Preset, RankingConfig
from retrieval.commits.shortlist import best_first
from retrieval.commits.tracer import CommitTracer
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.tracing_cases import TracingCase
    from retrieval.commits.domain import AdvisoryQuery
    from retrieval.commits.signals import SignalTable

KS = (1, 5, 10, 100)
CANDIDATES = 300
CUT = timedelta(days=7)
ROUGH = {
    "message": 0.35,
    "diff": 0.3,
    "document": 0.5,
    "date": 0.7,
    "window": 0.5,
    "security_words": 0.4,
    "id": 0.8,
}
"""Chooses the candidates that weights are learned from; they are not the ranking."""


class Variant(StrEnum):
    """What the ranking may know. Only ``REFERENCES`` may read the advisory's links, and follows none of them."""

    FULL = "links ignored"
    REFERENCES = "issue numbers of references too"
    CUT = "cut at publication + 7 days"
    NO_DATE = "no date"
    NO_VERSIONS = "no versions"
    TEXT_ONLY = "text only"


def asked(query: AdvisoryQuery, variant: Variant) -> AdvisoryQuery:
    """Return the query without what a variant takes away."""
    match variant:
        case Variant.REFERENCES:
            return query
        case Variant.NO_DATE:
            return replace(query, links=(), published=None)
        case Variant.NO_VERSIONS:
            return replace(query, links=(), fixed=())
        case Variant.TEXT_ONLY:
            return replace(query, links=(), published=None, fixed=(), ids=())
        case _:
            return replace(query, links=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where the first answer stands, from 1; None when it is not among the first 100."""

    advisory: str
    repository: str
    commits: int
    strict: int | None
    lenient: int | None
    margin: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What weights are learned from: the names of the signals, and queries with their answers."""

    names: tuple[str, ...]
    queries: tuple[RankedQuery, ...]

    def weights(self) -> dict[str, float]:
        """Return the weights fitted to all queries; to judge them on the same queries would be too kind."""
        return dict(zip(self.names, fit(self.queries).tolist(), strict=True))

    def weights_without_own(self) -> dict[str, dict[str, float]]:
        """Return for each repository the weights fitted to all the others."""
        folds = leave_one_group_out(self.queries)
        return {group: dict(zip(self.names, found.tolist(), strict=True)) for group, found in folds.items()}


Weights = Mapping[str, Mapping[str, float]]
"""Weights by repository."""


class Bench:
    """The repositories and cases of one measurement; indexes are kept in ``indexes``."""

    def __init__(
        self,
        cases: Sequence[TracingCase],
        repositories: Path,
        indexes: Path,
        preset: Preset = Preset.DEFAULT,
    ) -> None:
        self._config = RankingConfig(preset=preset)
        self._repositories = repositories
        self._indexes = indexes
        self._cases: defaultdict[str, list[TracingCase]] = defaultdict(list)
        for case in cases:
            self._cases[case.repository].append(case)

    def lessons(self, variants: Sequence[Variant]) -> dict[Variant, Lesson]:
        """Return what is to be learned under each variant; one repository is in memory at a time."""
        names: tuple[str, ...] = ()
        queries: dict[Variant, list[RankedQuery]] = {variant: [] for variant in variants}
        for tracer, case in self._opened():
            for variant in variants:
                judged = _judged(tracer, case, variant)
                names = judged.table.names
                queries[variant] += _queries(judged)
        return {variant: Lesson(names=names, queries=tuple(found)) for variant, found in queries.items()}

    def placed(
        self, variants: Sequence[Variant], weights: Mapping[Variant, Weights]
    ) -> dict[Variant, list[Placed]]:
        """Return where each answer stands, by the variant's weights or, without any, by the preset's own."""
        found: dict[Variant, list[Placed]] = {variant: [] for variant in variants}
        for tracer, case in self._opened():
            for variant in variants:
                own = weights[variant][case.repository] if variant in weights else None
                found[variant].append(_placed(tracer, _judged(tracer, case, variant), own))
        return found

    def _opened(self) -> Iterator[tuple[CommitTracer, TracingCase]]:
        for name, cases in self._cases.items():
            repository = GitRepository(find_repository(self._repositories, name), seconds=3600.0)
            folder = self._indexes / name.replace("/", "+")
            tracer = CommitTracer.open(repository, folder, self._config)
            yield from ((tracer, case) for case in cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """One advisory, ready to be ranked: its signals, and the positions of its answers."""

    case: TracingCase
    query: AdvisoryQuery
    table: SignalTable
    strict: frozenset[int]
    lenient: frozenset[int]
    there: NDArray[np.bool_]
    """Which commits existed at the time that is looked from."""

    seconds: float


def recall(ranks: Sequence[int | None], k: int) -> list[float]:
    """Return for each case 1 when its answer is among the first ``k``, else 0."""
    return [float(rank is not None and rank <= k) for rank in ranks]


def reciprocal(ranks: Sequence[int | None]) -> list[float]:
    """Return one over each rank, 0 for none."""
    return [0.0 if rank is None else 1 / rank for rank in ranks]


def _judged(tracer: CommitTracer, case: TracingCase, variant: Variant) -> _Judged:
    history = tracer.history
    found = (history.position(name) for name in case.fixes)
    strict = frozenset(position for position in found if position is not None)
    if not strict:
        raise EvaluationError(f"{case.advisory}: no recorded fix is in the clone of {case.repository}.")
    until = _cut(case.query) if variant is Variant.CUT else None
    started = time.perf_counter()
    query = asked(case.query, variant)
    table = tracer.signals.table(query, until=until)
    seconds = time.perf_counter() - started
    return _Judged(
        case=case,
        query=query,
        table=table,
        strict=strict,
        lenient=strict | tracer.signals.same_change(strict),
        there=history.column("committed") <= until if until else np.ones(len(history), dtype=bool),
        seconds=seconds,
    )


def _cut(query: AdvisoryQuery) -> float | None:
    if query.published is None:
        return None
    return datetime.combine(query.published + CUT, time_of_day(), UTC).timestamp()


def _queries(judged: _Judged) -> list[RankedQuery]:
    """Return what is learned from a case: likely candidates and the answers, or nothing without any."""
    answers = [position for position in sorted(judged.strict) if judged.there[position]]
    if not answers:
        return []
    rough = np.where(judged.there, judged.table.weighted(ROUGH), -np.inf)
    chosen = np.union1d(best_first(rough, CANDIDATES), answers)
    query = RankedQuery(
        group=judged.case.repository,
        signals=judged.table.values[chosen].astype(np.float64),
        relevant=np.isin(chosen, answers),
    )
    return [query]


def _placed(tracer: CommitTracer, judged: _Judged, weights: Mapping[str, float] | None) -> Placed:
    found = tracer.weighted(judged.table, weights) if weights else tracer.scores(judged.query, judged.table)
    scores = np.where(judged.there, found, -np.inf)
    order = [place for place in tracer.order(judged.table, scores, KS[-1]) if judged.there[place]]
    return Placed(
        advisory=judged.case.advisory,
        repository=judged.case.repository,
        commits=len(judged.there),
        strict=_rank(order, judged.strict),
        lenient=_rank(order, judged.lenient),
        margin=tracer.margin(scores),
        seconds=judged.seconds,
    )


def _rank(order: Sequence[int], answers: frozenset[int]) -> int | None:
    return next((rank for rank, position in enumerate(order, start=1) if position in answers), None)
