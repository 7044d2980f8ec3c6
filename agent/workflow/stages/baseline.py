"""Baseline: run the project's tests before anything is changed."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.domain.project import TestStatus
from agent.workflow.state import Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from agent.domain.project import TestRun
    from agent.workflow.state import RunState, Tools


async def run_baseline(state: RunState, tools: Tools) -> Step:
    """Return ``passed`` with each test's result; known failures are never held against a patch."""
    if state.toolchain is None or state.environment is None:
        raise AssertionError("the environment stage comes first")
    if not state.environment.plan.test:
        return Step(result=Result.NO_TESTS, summary="the project has no tests that were found", state=state)
    seconds = min(tools.config.test_seconds, max(1.0, tools.budget.seconds_left()))
    run = await state.toolchain.test(state.environment, tools.workspace.tree, tools.sandbox, seconds=seconds)
    if run.usage_error is not None:
        return Step(
            result=Result.UNUSABLE,
            summary=f"the test runner could not be used: {run.usage_error}",
            state=state,
        )
    if not run.count(TestStatus.PASSED):
        # A suite of which nothing passes cannot show that a patch keeps anything.
        failed = f"; {describe(run)}" if run.results else ""
        return Step(result=Result.NO_TESTS, summary=f"no test passes before any change{failed}", state=state)
    return Step(result=Result.PASSED, summary=describe(run), state=dataclasses.replace(state, baseline=run))


def describe(run: TestRun) -> str:
    """Return the counts of a test run in words."""
    failed = run.count(TestStatus.FAILED) + run.count(TestStatus.ERROR)
    text = f"{run.count(TestStatus.PASSED)} tests passed, {failed} failed"
    skipped = run.count(TestStatus.SKIPPED)
    text += f", {skipped} skipped" if skipped else ""
    return text if run.complete else f"{text}; the time limit cut the run short"
