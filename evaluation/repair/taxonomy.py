"""What became of a run: resolved, or exactly one reason why not. Pure.

Reasons are looked for in this order: faults of the pipeline first, so that none is held against a patch; then how
the run itself ended; then the oracle's phases. A patch that fails and touches no file of the upstream fix was
written in the wrong place, whatever phase noticed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from agent.domain.run import Outcome
from evaluation.repair.phases import OraclePhase, PhaseStatus, all_passed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ports import RepairAnswer
    from evaluation.repair.case import Case
    from evaluation.repair.phases import PhaseResult


class Ending(StrEnum):
    """How a run counts."""

    RESOLVED = "resolved"
    ENVIRONMENT = "environment"
    BASELINE = "baseline_broken"
    NOT_REPRODUCED = "not_reproduced"
    WRONG_FILE = "wrong_file"
    NO_PATCH = "no_patch"
    BUILD = "build"
    PROOF = "proof"
    REGRESSION = "regression"
    DEVELOPER = "developer_test"
    REVIEWER = "refused_by_reviewer"
    BUDGET = "budget"
    TIMEOUT = "timeout"
    PIPELINE = "pipeline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The ending and one line why."""

    ending: Ending
    reason: str


RERUN = frozenset({Ending.PIPELINE, Ending.ENVIRONMENT})
"""Endings that are tried once more: they may be the machine's fault."""

OUTCOMES = {
    Outcome.ENVIRONMENT_FAILED: Ending.ENVIRONMENT,
    Outcome.NOT_REPRODUCED: Ending.NOT_REPRODUCED,
    Outcome.ALREADY_FIXED: Ending.NOT_REPRODUCED,
    Outcome.DECLINED: Ending.NO_PATCH,
    Outcome.BUDGET_EXHAUSTED: Ending.BUDGET,
    Outcome.CANCELLED: Ending.TIMEOUT,
    Outcome.ERROR: Ending.PIPELINE,
}
PHASES = {
    OraclePhase.BUILD: Ending.BUILD,
    OraclePhase.PROOF: Ending.PROOF,
    OraclePhase.REGRESSION: Ending.REGRESSION,
    OraclePhase.DEVELOPER: Ending.DEVELOPER,
}
LOOKED_AT = 10
"""A fix's file below this rank counts as not found."""


def judge_run(
    case: Case, answer: RepairAnswer, phases: Sequence[PhaseResult], *, invalid: Sequence[str] = ()
) -> Judgement:
    """Return how a run counts; ``invalid`` is what validation found wrong with the case itself."""
    if invalid:
        return Judgement(ending=Ending.BASELINE, reason=invalid[0])
    if not answer.changes:
        return _without_patch(case, answer)
    for result in phases:
        if result.status is PhaseStatus.PIPELINE:
            return Judgement(ending=Ending.PIPELINE, reason=f"{result.phase.value}: {result.reason}")
    if all_passed(phases):
        return Judgement(ending=Ending.RESOLVED, reason="all four phases passed")
    return _failed(case, answer, phases)


def _without_patch(case: Case, answer: RepairAnswer) -> Judgement:
    ending = OUTCOMES.get(answer.outcome, Ending.NO_PATCH)
    if ending is Ending.NO_PATCH:
        if answer.refused_by == "review":
            ending = Ending.REVIEWER
        elif answer.ranked and not set(answer.ranked[:LOOKED_AT]) & set(case.fixed_files):
            ending = Ending.WRONG_FILE
    return Judgement(ending=ending, reason=answer.reason)


def _failed(case: Case, answer: RepairAnswer, phases: Sequence[PhaseResult]) -> Judgement:
    failed = next((result for result in phases if result.status is not PhaseStatus.PASSED), None)
    if failed is None:
        return Judgement(ending=Ending.PIPELINE, reason="the oracle did not run every phase")
    if not set(answer.changes) & set(case.fixed_files):
        return Judgement(
            ending=Ending.WRONG_FILE, reason=f"the patch is elsewhere; {failed.phase.value}: {failed.reason}"
        )
    if failed.status is PhaseStatus.TIMEOUT:
        return Judgement(ending=Ending.TIMEOUT, reason=f"{failed.phase.value}: {failed.reason}")
    return Judgement(ending=PHASES[failed.phase], reason=failed.reason)
