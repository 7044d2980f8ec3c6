"""What many results say together. Pure.

Every rate has all cases below it: those that validation refused, that would not install or that no patch came out
of count as not resolved. A case's rate is the mean of its repetitions; intervals resample cases.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from evaluation.repair.memory import Recall
from evaluation.repair.phases import OraclePhase
from evaluation.repair.results import ResultShape
from evaluation.statistics import Interval, Spread, bootstrap_mean, mcnemar_exact, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evaluation.repair.case import Case
    from evaluation.repair.taxonomy import Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How many of how many cases, with the bootstrap interval of their mean over repetitions."""

    name: str
    cases: int
    passed: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Money in US dollars, times in seconds; ``per_success`` is None when nothing was resolved."""

    money: float
    tokens: int
    calls: int
    money_per_run: float
    money_per_success: float | None
    seconds: Spread
    seconds_per_success: float | None
    oracle_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of one measurement."""

    cases: int
    runs: int
    repetitions: int
    resolved: Rate
    repeated: Spread
    phases: tuple[Rate, ...]
    proof_alone: tuple[str, ...]
    endings: Mapping[Ending, int]
    groups: Mapping[str, tuple[Rate, ...]]
    spending: Spending
    flagged: tuple[str, ...]


def summarise(cases: Sequence[Case], results: Sequence[ResultShape]) -> Summary:
    """Return the figures; raise ``ValueError`` without results or with a result of no case."""
    known = {case.id: case for case in cases}
    if not results or {one.case_id for one in results} != set(known):
        raise ValueError("each case needs its results, and each result its case")
    repetitions = max(one.repetition for one in results)
    return Summary(
        cases=len(cases),
        runs=len(results),
        repetitions=repetitions,
        resolved=rate("resolved", results, lambda one: one.resolved),
        repeated=_repeated(results, repetitions),
        phases=tuple(
            rate(phase.value, results, partial(ResultShape.passed, phase=phase)) for phase in OraclePhase
        ),
        proof_alone=tuple(
            one.case_id
            for one in results
            if one.passed(OraclePhase.PROOF) and not one.passed(OraclePhase.DEVELOPER)
        ),
        endings=dict(Counter(one.ending for one in results).most_common()),
        groups={
            "weakness": _grouped(results, lambda one: known[one.case_id].cwe),
            "language": _grouped(results, lambda one: known[one.case_id].language.value),
            "size of the upstream fix": _grouped(results, lambda one: known[one.case_id].size.size.value),
            "memory of the fix": _grouped(results, lambda one: one.recall.value)
            if any(one.recall is not Recall.NOT_ASKED for one in results)
            else (),
            "fix date": _grouped(results, _dated)
            if any(one.before_cutoff is not None for one in results)
            else (),
        },
        spending=_spending(results),
        flagged=tuple(
            f"{one.case_id}, run {one.repetition}" for one in results if one.findings or one.unpriced_calls
        ),
    )


def rate(name: str, results: Sequence[ResultShape], passed: Callable[[ResultShape], bool]) -> Rate:
    """Return the share of cases for which ``passed`` holds."""
    values = list(by_case(results, passed).values())
    return Rate(name=name, cases=len(values), passed=sum(values), interval=bootstrap_mean(values))


def by_case(results: Iterable[ResultShape], passed: Callable[[ResultShape], bool]) -> dict[str, float]:
    """Return per case the share of its repetitions for which ``passed`` holds."""
    seen: dict[str, list[bool]] = {}
    for one in results:
        seen.setdefault(one.case_id, []).append(passed(one))
    return {case: sum(found) / len(found) for case, found in seen.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """Two configurations on the same cases: who alone resolved what, and McNemar's exact p-value."""

    only_ours: tuple[str, ...]
    only_theirs: tuple[str, ...]
    both: int
    neither: int
    p_value: float


def duel(ours: Sequence[ResultShape], theirs: Sequence[ResultShape]) -> Duel:
    """Compare on the cases that both have; a case counts as resolved when most of its repetitions are."""
    mine, other = (
        {case: share > 0.5 for case, share in by_case(side, lambda one: one.resolved).items()}  # noqa: PLR2004
        for side in (ours, theirs)
    )
    shared = sorted(set(mine) & set(other))
    first = tuple(case for case in shared if mine[case] and not other[case])
    second = tuple(case for case in shared if other[case] and not mine[case])
    both = sum(1 for case in shared if mine[case] and other[case])
    return Duel(
        only_ours=first,
        only_theirs=second,
        both=both,
        neither=len(shared) - both - len(first) - len(second),
        p_value=mcnemar_exact(len(first), len(second)),
    )


def _repeated(results: Sequence[ResultShape], repetitions: int) -> Spread:
    """Return the success rate over repetitions, each of them a measurement of its own."""
    rates = []
    for number in range(1, repetitions + 1):
        shares = [one.resolved for one in results if one.repetition == number]
        rates.append(sum(shares) / len(shares))
    return spread(rates)


def _grouped(results: Sequence[ResultShape], key: Callable[[ResultShape], str]) -> tuple[Rate, ...]:
    groups: dict[str, list[ResultShape]] = {}
    for one in results:
        groups.setdefault(key(one), []).append(one)
    return tuple(rate(name, group, lambda one: one.resolved) for name, group in sorted(groups.items()))


def _dated(result: ResultShape) -> str:
    if result.before_cutoff is None:
        return "unknown"
    return "before the model's cut-off" if result.before_cutoff else "after the model's cut-off"


def _spending(results: Sequence[ResultShape]) -> Spending:
    resolved = sum(1 for one in results if one.resolved)
    money = sum(one.money for one in results)
    seconds = [one.seconds for one in results]
    return Spending(
        money=money,
        tokens=sum(one.tokens_in + one.tokens_out for one in results),
        calls=sum(one.calls for one in results),
        money_per_run=money / len(results),
        money_per_success=money / resolved if resolved else None,
        seconds=spread(seconds),
        seconds_per_success=sum(seconds) / resolved if resolved else None,
        oracle_seconds=sum(one.oracle_seconds for one in results),
    )
