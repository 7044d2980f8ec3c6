"""The figures of a tracing measurement as values and as a page of Markdown. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from evaluation.statistics import Interval, bootstrap_mean
from evaluation.tracing import KS, recall, reciprocal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.tracing import Placed

_HEAD = """# Tracing: which commit fixed this advisory?

Written by `make bench-tracing`, which runs `suture eval tracing`. Percent of advisories with a recorded fix commit
among the first k, with 95 % bootstrap intervals; *lenient* counts copies of the fix and the merge that brought it.
Weights are fitted with each repository left out in turn. Links are ignored, unless a row says otherwise.
"""

RESAMPLES = 2_000
"""Enough for bounds in whole percent."""

SIZES = ((0, 1_000), (1_000, 5_000), (5_000, 15_000), (15_000, 1 << 31))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The figures of one way to rank; recalls by k, as shares within 0..1."""

    name: str
    cases: int
    strict: Mapping[int, Interval]
    lenient: Mapping[int, Interval]
    reciprocal_rank: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What the measurement cost; memory is the peak of the process in bytes."""

    seconds: float
    query_seconds: float
    slowest_query_seconds: float
    memory: int
    commits: int


def row(name: str, placed: Sequence[Placed]) -> Row:
    """Return the figures of one way to rank."""
    strict, lenient = [one.strict for one in placed], [one.lenient for one in placed]
    return Row(
        name=name,
        cases=len(placed),
        strict={k: _interval(recall(strict, k)) for k in KS},
        lenient={k: _interval(recall(lenient, k)) for k in KS},
        reciprocal_rank=_interval(reciprocal(strict)),
    )


def by_size(placed: Sequence[Placed]) -> list[Row]:
    """Return the figures by the number of commits of the repository."""
    groups = (
        (f"{low:,} to {high:,} commits" if high < SIZES[-1][1] else f"over {low:,} commits",
         [one for one in placed if low <= one.commits < high])
        for low, high in SIZES
    )  # fmt: skip
    return [row(name, some) for name, some in groups if some]


def by_margin(placed: Sequence[Placed]) -> list[Row]:
    """Return the figures by quarter of the margin, the surest first: this says when a model is worth asking."""
    ordered = sorted(placed, key=lambda one: -one.margin)
    edges = [round(len(ordered) * quarter / 4) for quarter in range(5)]
    quarters = [ordered[low:high] for low, high in pairwise(edges)]
    return [row(f"margin {some[-1].margin:.2f} to {some[0].margin:.2f}", some) for some in quarters if some]


def markdown_table(rows: Sequence[Row]) -> str:
    """Return rows as a table in percent, each strict recall with its 95 % interval."""
    head = ["", "cases", *(f"R@{k}" for k in KS), "MRR", *(f"lenient R@{k}" for k in KS[:3])]
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    lines += [f"| {' | '.join(_cells(one))} |" for one in rows]
    return "\n".join(lines) + "\n"


def page(sections: Mapping[str, Sequence[Row]], costs: Costs, placed: Sequence[Placed]) -> str:
    """Return the whole page, with every advisory that is not answered first."""
    parts = [_HEAD]
    parts += [f"## {name}\n\n{markdown_table(rows)}" for name, rows in sections.items()]
    parts.append(
        "## Costs\n\n"
        f"{costs.commits:,} commits; the whole measurement {costs.seconds:.0f} s; a query "
        f"{1000 * costs.query_seconds:.0f} ms on average, {1000 * costs.slowest_query_seconds:.0f} ms at most; "
        f"peak memory {costs.memory / 1e6:.0f} MB.\n"
    )
    missed = [one for one in placed if one.strict != 1]
    lines = ["| advisory | repository | commits | strict | lenient |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {one.advisory} | {one.repository} | {one.commits:,} | {one.strict or '> 100'} "
        f"| {one.lenient or '> 100'} |"
        for one in missed
    ]
    parts.append("## Not first\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def as_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return rows as plain values."""
    return [asdict(one) for one in rows]


def _cells(one: Row) -> list[str]:
    strict = [_percent(one.strict[k]) for k in KS]
    lenient = [f"{100 * one.lenient[k].mean:.1f}" for k in KS[:3]]
    return [one.name, str(one.cases), *strict, f"{one.reciprocal_rank.mean:.3f}", *lenient]


def _percent(found: Interval) -> str:
    return f"{100 * found.mean:.1f} ({100 * found.low:.0f}-{100 * found.high:.0f})"


def _interval(values: Sequence[float]) -> Interval:
    return bootstrap_mean(values, resamples=RESAMPLES)
