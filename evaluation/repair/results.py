"""The stored result of one run, ``result.json`` in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from agent.domain.run import Cost, Outcome
from evaluation.repair.memory import Recall  # noqa: TC001 (pydantic reads annotations)
from evaluation.repair.phases import OraclePhase, PhaseStatus
from evaluation.repair.stored import PhaseShape, Shape
from evaluation.repair.taxonomy import Ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ports import RepairAnswer
    from evaluation.repair.case import Case
    from evaluation.repair.leaks import Audit
    from evaluation.repair.memory import Memory
    from evaluation.repair.phases import PhaseResult
    from evaluation.repair.taxonomy import Judgement

RESULT = "result.json"


class FindingShape(Shape):
    """One finding of the leak audit."""

    kind: str
    where: str
    text: str


class ResultShape(Shape):
    """One run of one case: how it counts, each phase alone, what it cost, what the audit found."""

    schema_version: Literal[1]
    case_id: str
    repetition: int
    digest: str
    started_at: str
    seconds: float
    oracle_seconds: float
    tries: int
    ending: Ending
    reason: str
    outcome: Outcome
    reproduced: bool
    source: str
    changed: list[str]
    rank: int | None = Field(description="Rank of the first file of the upstream fix; null: not found.")
    phases: list[PhaseShape]
    calls: int
    tokens_in: int
    tokens_out: int
    money: float
    findings: list[FindingShape]
    own_lines: int
    unpriced_calls: int
    recall: Recall
    before_cutoff: bool | None
    sanitised: dict[str, list[str]]

    @property
    def resolved(self) -> bool:
        """Tell whether all four phases passed."""
        return self.ending is Ending.RESOLVED

    def passed(self, phase: OraclePhase) -> bool:
        """Tell whether a phase was run and passed."""
        return any(one.phase is phase and one.status is PhaseStatus.PASSED for one in self.phases)

    @property
    def cost(self) -> Cost:
        """Return what was spent on models."""
        return Cost(calls=self.calls, tokens_in=self.tokens_in, tokens_out=self.tokens_out, money=self.money)


def result_of(
    case: Case,
    answer: RepairAnswer,
    judgement: Judgement,
    phases: Sequence[PhaseResult],
    audit: Audit,
    memory: Memory,
    *,
    repetition: int,
    digest: str,
    started_at: str,
    seconds: float,
    oracle_seconds: float,
    tries: int,
    sanitised: dict[str, list[str]],
) -> ResultShape:
    """Join everything that is known of a run."""
    ranks = [answer.ranked.index(path) + 1 for path in case.fixed_files if path in answer.ranked]
    return ResultShape(
        schema_version=1,
        case_id=case.id,
        repetition=repetition,
        digest=digest,
        started_at=started_at,
        seconds=round(seconds, 2),
        oracle_seconds=round(oracle_seconds, 2),
        tries=tries,
        ending=judgement.ending,
        reason=judgement.reason,
        outcome=answer.outcome,
        reproduced=answer.reproduced,
        source=answer.source,
        changed=sorted(answer.changes),
        rank=min(ranks, default=None),
        phases=[PhaseShape.of(result) for result in phases],
        calls=answer.cost.calls,
        tokens_in=answer.cost.tokens_in,
        tokens_out=answer.cost.tokens_out,
        money=answer.cost.money,
        findings=[FindingShape(kind=one.kind, where=one.where, text=one.text) for one in audit.findings],
        own_lines=audit.own,
        unpriced_calls=audit.unpriced,
        recall=memory.recall,
        before_cutoff=memory.before_cutoff,
        sanitised=sanitised,
    )
