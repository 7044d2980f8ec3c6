"""Runs the transition table: it decides nothing itself."""

from __future__ import annotations

import dataclasses
import traceback
from typing import TYPE_CHECKING

from agent.domain.run import Outcome, RunResult, Stage, StageRecord
from agent.errors import AgentError, ProjectError, SandboxUnavailableError
from agent.workflow.acceptance import decide
from agent.workflow.budget import BudgetExhaustedError
from agent.workflow.transitions import ENDINGS, FIRST, next_stage

if TYPE_CHECKING:
    from agent.domain.report import Report
    from agent.workflow.state import Stages, Step, Tools

from agent.workflow.state import RunState


class Workflow:
    """One run. ``state`` is always what the last finished stage left, so that nothing found is lost."""

    def __init__(
        self, *, run_id: str, report: Report, tools: Tools, stages: Stages, feedback: str = ""
    ) -> None:
        self.run_id = run_id
        notices = (*report.notices, *tools.workspace.notices)
        self.state = RunState(report=report, notices=notices, feedback=feedback)
        self._tools = tools
        self._stages = stages

    async def run(self) -> RunResult:
        """Run to an outcome. Only cancelling, unusable input and faults of Suture itself leave as exceptions."""
        stage: Stage | None = FIRST
        step: Step | None = None
        while stage is not None and stage is not Stage.PUBLISH:
            try:
                self._tools.budget.check()
                step = await self._run_stage(stage)
            except BudgetExhaustedError as error:
                return self.result(Outcome.BUDGET_EXHAUSTED, str(error))
            except (SandboxUnavailableError, ProjectError):
                raise
            except AgentError as error:
                return self.result(Outcome.ERROR, f"{stage.value}: {error}")
            except OSError as error:
                return self.result(Outcome.ERROR, f"{stage.value}: the machine refused: {error.strerror}")
            ending = ENDINGS.get((stage, step.result))
            stage = next_stage(stage, step.result)
            if ending is not None:
                return self.result(ending, step.summary)
        return self._accepted_result()

    async def _run_stage(self, stage: Stage) -> Step:
        clock = self._tools.budget.clock
        before, spent = clock.monotonic(), self._tools.budget.spent
        self._tools.observer.started(stage)
        step = await self._stages[stage](self.state, self._tools)
        record = StageRecord(
            stage=stage,
            result=step.result.value,
            summary=step.summary,
            seconds=clock.monotonic() - before,
            cost=self._tools.budget.spent - spent,
        )
        self.state = dataclasses.replace(step.state, records=(*step.state.records, record))
        self._tools.trajectory.record("stage", name=stage.value, result=record.result, summary=step.summary)
        self._tools.observer.finished(record)
        return step

    def _accepted_result(self) -> RunResult:
        attempt = self.state.accepted
        if attempt is None:
            return self.result(Outcome.ERROR, "the workflow ended without a decision")
        decision = decide(attempt.matrix, reproduced=self.state.reproduced, origin=attempt.candidate.origin)
        return self.result(decision.outcome, decision.reason)

    def fault(self, error: Exception) -> RunResult:
        """Return what was found before a fault of Suture itself; its traceback goes into the trajectory."""
        text = "".join(traceback.format_exception(error))
        self._tools.trajectory.record("fault", traceback=text)
        kind = type(error).__name__
        return self.result(Outcome.ERROR, f"a fault of Suture ({kind}); trajectory.jsonl holds the traceback")

    def result(self, outcome: Outcome, reason: str) -> RunResult:
        """Return what was found so far under an outcome; the best attempt stands in when none was accepted."""
        state = self.state
        attempt = state.accepted or (state.attempts[0] if state.attempts else None)
        kept = outcome in {Outcome.FIXED, Outcome.UNPROVEN}
        return RunResult(
            run_id=self.run_id,
            report_id=state.report.id,
            outcome=outcome,
            reason=reason,
            stages=state.records,
            plan=state.plan,
            baseline=state.baseline,
            files=state.files,
            covered=state.covered,
            proof=state.proof,
            candidate=attempt.candidate if attempt and kept else None,
            declined=state.declined,
            matrix=attempt.matrix if attempt else None,
            diff=attempt.diff if attempt and kept else "",
            rejected_diff="" if kept or attempt is None else attempt.diff,
            cost=self._tools.budget.spent,
            unsafe=self._tools.sandbox.name == "unsafe",
            notices=state.notices,
        )
