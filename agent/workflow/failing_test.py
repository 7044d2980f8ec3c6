"""A model's new test of the project is kept when it runs and fails while the flaw is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.domain.project import TestStatus

if TYPE_CHECKING:
    from agent.domain.patch import SourceFile
    from agent.domain.proof import ProofOfConcept
    from agent.workflow.state import RunState, Tools

_SECONDS = 180.0


async def failing_test(proof: ProofOfConcept, state: RunState, tools: Tools) -> SourceFile | None:
    """Return the proof's test when a new test in it fails on the unpatched tree, with no error beside it."""
    test, toolchain, environment = proof.test, state.toolchain, state.environment
    if test is None or toolchain is None or environment is None:
        return None
    run = await toolchain.test(
        environment,
        tools.workspace.tree,
        tools.sandbox,
        files={test.path: test.content},
        only=[test.path],
        seconds=min(_SECONDS, tools.config.test_seconds, max(1.0, tools.budget.seconds_left())),
    )
    known = state.baseline.results if state.baseline is not None else {}
    new = {status for name, status in run.results.items() if name not in known}
    kept = run.usage_error is None and TestStatus.FAILED in new and TestStatus.ERROR not in new
    tools.trajectory.record("regression_test", path=test.path, kept=kept, code=test.content.decode())
    if not kept:
        tools.observer.note(f"the model's test {test.path} does not fail by the flaw and is left out")
    return test if kept else None
