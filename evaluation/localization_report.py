"""The figures of file localization as one value, as JSON and as Markdown. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from evaluation.localization_fit import fit_leaving_out, ranking
from evaluation.statistics import Interval, bootstrap_mean, paired_difference, recall_at_k, reciprocal_rank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.localization import Asked
    from evaluation.localization_fit import Matrix, MeasuredCase

DEPTHS = (1, 3, 5, 10, 20)
VERSION = 1
BEGIN = "<!-- figures: written by make bench-localization -->"
END = "<!-- end of figures -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Recall at each depth (mean share of changed files; share of cases with all of them) and the mean rank."""

    name: str
    cases: int
    recall: Mapping[int, Interval]
    all_found: Mapping[int, float]
    mrr: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Everything that one measurement says."""

    figures: tuple[Figures, ...]
    whole: tuple[Figures, ...]
    repositories: tuple[Figures, ...]
    ablations: Mapping[str, Mapping[int, float]]
    gain: Mapping[str, Interval]
    seconds: Mapping[str, float]
    weights: Mapping[str, float]
    version: int = VERSION

    def as_json(self) -> dict[str, object]:
        """Return plain values."""
        return asdict(self)


def results(asked: Sequence[Asked], weights: Matrix) -> Results:
    """Return the figures of the default preset, fitted without the repository it is asked on, and of the others.

    ``weights`` are the shipped ones, fitted on all of the dev cases: the row that shows them is no estimate. Cases
    of a single repository leave nothing to fit on and are ranked by the shipped weights.
    """
    cases = [one.case for one in asked]
    several = len({one.repository for one in cases}) > 1
    fitted = fit_leaving_out(cases) if several else {cases[0].repository: weights}
    default = [ranking(one, fitted[one.repository]) for one in cases]
    shipped = [ranking(one, weights) for one in cases]
    rows = [
        figures("default", cases, default),
        figures("default as shipped (fitted on these)", cases, shipped),
    ]
    others = {name: [one.rankings[name] for one in asked] for name in asked[0].rankings}
    rows += [figures(name, cases, ranked) for name, ranked in others.items()]
    wide = [one.whole for one in asked if one.whole is not None]
    whole = (
        [figures("default, all files", wide, [ranking(one, fitted[one.repository]) for one in wide])]
        if wide
        else []
    )
    return Results(
        figures=tuple(rows),
        whole=tuple(whole),
        repositories=tuple(_by_repository(cases, default)),
        ablations=_ablations(cases, fitted),
        gain={
            name: paired_difference(_shares(cases, default, 1), _shares(cases, one, 1))
            for name, one in others.items()
        },
        seconds=_medians(asked),
        weights=dict(zip(cases[0].names, map(float, weights), strict=True)),
    )


def figures(name: str, cases: Sequence[MeasuredCase], rankings: Sequence[tuple[str, ...]]) -> Figures:
    """Return the figures of one ranking of all cases."""
    found = {k: _shares(cases, rankings, k) for k in DEPTHS}
    wanted = [{case.paths[at] for at in case.changed} for case in cases]
    ranks = [reciprocal_rank(ranked, files) for ranked, files in zip(rankings, wanted, strict=True)]
    return Figures(
        name=name,
        cases=len(cases),
        recall={k: bootstrap_mean(values) for k, values in found.items()},
        all_found={k: float(np.mean([value == 1 for value in values])) for k, values in found.items()},
        mrr=bootstrap_mean(ranks),
    )


def _shares(cases: Sequence[MeasuredCase], rankings: Sequence[tuple[str, ...]], k: int) -> list[float]:
    """Return the share of changed files among the first ``k``; one that is no candidate is never found."""
    shares = []
    for case, ranked in zip(cases, rankings, strict=True):
        wanted = {case.paths[at] for at in case.changed}
        total = len(wanted) + case.missing
        shares.append(recall_at_k(ranked, wanted, k) * len(wanted) / total if wanted else 0.0)
    return shares


def _by_repository(cases: Sequence[MeasuredCase], rankings: Sequence[tuple[str, ...]]) -> list[Figures]:
    names = sorted({case.repository for case in cases})
    rows = []
    for name in names:
        own = [at for at, case in enumerate(cases) if case.repository == name]
        rows.append(figures(name, [cases[at] for at in own], [rankings[at] for at in own]))
    return rows


def _ablations(cases: Sequence[MeasuredCase], fitted: Mapping[str, Matrix]) -> dict[str, dict[int, float]]:
    """Return the mean recall with one signal silenced, without fitting again."""
    found = {}
    for at, name in enumerate(cases[0].names):
        muted = {
            repository: np.where(np.arange(len(one)) == at, 0.0, one) for repository, one in fitted.items()
        }
        rankings = [ranking(case, muted[case.repository]) for case in cases]
        found[name] = {k: float(np.mean(_shares(cases, rankings, k))) for k in (1, 5, 10)}
    return found


def _medians(asked: Sequence[Asked]) -> dict[str, float]:
    names = sorted({name for one in asked for name in one.seconds})
    return {
        name: float(np.median([one.seconds[name] for one in asked if name in one.seconds])) for name in names
    }


def markdown(found: Results, *, command: str, date: str, commit: str) -> str:
    """Return the tables as Markdown."""
    lines = [f"Measured on {date} at commit `{commit}` by `{command}`.", ""]
    lines += _table("Preset or engine", found.figures)
    if found.whole:
        lines += ["", "With tests, documents and all other text files among the candidates:", ""]
        lines += _table("", found.whole)
    lines += [
        "",
        "By repository (default preset, fitted on the others):",
        "",
        *_table("Repository", found.repositories),
    ]
    lines += ["", "Without one signal (not fitted again):", "", "| signal | weight | R@1 | R@5 | R@10 |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    for name, row in found.ablations.items():
        shown = " | ".join(f"{100 * value:.1f}" for value in row.values())
        lines.append(f"| {name} | {found.weights[name]:.2f} | {shown} |")
    lines += ["", "Gain of the default preset in Recall@1, paired, with its 95 % interval:", ""]
    lines += [f"- over {name}: {_interval(one)}" for name, one in found.gain.items()]
    lines += ["", "Processor time, median over the cases:", "", "| step | ms |", "| --- | --- |"]
    lines += [f"| {name} | {1000 * value:.1f} |" for name, value in found.seconds.items()]
    return "\n".join((*lines, ""))


def placed(document: str, tables: str, *, first: str = BEGIN, last: str = END) -> str:
    """Return a document with the tables between its two markers; raise ``ValueError`` when these are missing."""
    before, begin, rest = document.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"the document needs the lines {first} and {last}")
    return f"{before}{begin}\n\n{tables}\n{end}{after}"


def _table(head: str, rows: Sequence[Figures]) -> list[str]:
    depths = " | ".join(f"R@{k}" for k in DEPTHS)
    lines = [
        f"| {head} | cases | {depths} | all in 10 | MRR |",
        f"| --- | --- |{' --- |' * (len(DEPTHS) + 2)}",
    ]
    for row in rows:
        recalls = " | ".join(_interval(row.recall[k]) for k in DEPTHS)
        mrr = f"{row.mrr.mean:.3f}"
        lines.append(f"| {row.name} | {row.cases} | {recalls} | {100 * row.all_found[10]:.1f} | {mrr} |")
    return lines


def _interval(one: Interval) -> str:
    return f"{100 * one.mean:.1f} ({100 * one.low:.1f}-{100 * one.high:.1f})"
