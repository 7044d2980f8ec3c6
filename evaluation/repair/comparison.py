"""Results held against stored ones, by ratio; regressions are named. Pure but for reading the stored file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluation.repair.errors import ResultsError
from evaluation.repair.summary import by_case

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evaluation.repair.results import ResultShape

SLOWER = 1.5
"""A run that takes this many times as long as the stored one is named; machines differ, so this alone fails nothing."""


class StoredResult(BaseModel):
    """What is read of one result of an earlier report."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    case_id: str
    repetition: int
    ending: str
    seconds: float


class StoredReport(BaseModel):
    """What is read of an earlier ``report.json``."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    schema_version: int
    date: str
    machine: str
    results: list[StoredResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference: ``worse`` ones are regressions."""

    case_id: str
    text: str
    worse: bool


def read_stored(path: Path) -> StoredReport:
    """Return an earlier report; raise ``ResultsError``."""
    try:
        return StoredReport.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ResultsError(f"{path} is no report of this bench: {type(error).__name__}") from None


def compare(stored: StoredReport, results: Sequence[ResultShape]) -> tuple[Change, ...]:
    """Return what changed on the cases that both have, regressions first."""
    now = by_case(results, lambda one: one.resolved)
    changes = []
    for case_id, before in _shares(stored).items():
        if case_id not in now:
            continue
        if now[case_id] != before:
            text = f"resolved {before:.0%} of its runs before, {now[case_id]:.0%} now"
            changes.append(Change(case_id=case_id, text=text, worse=now[case_id] < before))
        ratio = _mean([one.seconds for one in results if one.case_id == case_id]) / max(
            0.001, _mean([one.seconds for one in stored.results if one.case_id == case_id])
        )
        if ratio >= SLOWER:
            changes.append(Change(case_id=case_id, text=f"takes {ratio:.1f} times as long", worse=False))
    return tuple(sorted(changes, key=lambda change: not change.worse))


def _shares(stored: StoredReport) -> dict[str, float]:
    cases = {one.case_id for one in stored.results}
    return {
        case: _mean([one.ending == "resolved" for one in stored.results if one.case_id == case])
        for case in sorted(cases)
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
