"""A run goes through the stages in the fixed order and ends with the one honest outcome."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from agent.config import BudgetLimits
from agent.domain.matrix import RowKind, RowStatus
from agent.domain.patch import Declined
from agent.domain.project import TestStatus
from agent.domain.proof import Variant
from agent.domain.run import Outcome, Stage
from agent.errors import AgentError, ProjectError, SandboxFaultError
from agent.workflow.budget import Budget
from agent.workflow.driver import Workflow
from agent.workflow.stages import diagnose
from agent.workflow.stages.catalogue import STAGES
from tests.fakes.sandbox import ScriptedSandbox, build_execution
from tests.fakes.workflow import (
    FakeCandidates,
    FakeRanker,
    FakeToolchain,
    SteppingClock,
    build_candidate,
    build_proof,
    build_report,
    build_test_run,
)
from tests.unit.agent.workflow.runs import (
    CRASHED,
    SAFE,
    VULNERABLE,
    build_tools,
    on_patched,
    opened_project,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agent.domain.execution import SandboxCommand
    from agent.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with opened_project(tmp_path) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnose, "variants", lambda proof, cwes: ())
    monkeypatch.setattr(diagnose, "controls", lambda proof, cwes: ())


async def test_a_good_patch_is_fixed(workspace: Workspace) -> None:
    """Reproduced three times, safe ten times, tests kept: fixed, with the diff."""
    tools = build_tools(workspace)
    result = await run(tools)
    assert result.outcome is Outcome.FIXED
    assert "-unsafe()\n+safe()" in result.diff
    assert [record.stage for record in result.stages] == [
        Stage.ENVIRONMENT,
        Stage.BASELINE,
        Stage.REPRODUCE,
        Stage.LOCALIZE,
        Stage.DIAGNOSE,
        Stage.GENERATE,
        Stage.VALIDATE,
    ]
    assert isinstance(tools.sandbox, ScriptedSandbox)
    proofs = [command for command in tools.sandbox.commands if command.argv[0] == "python"]
    assert sum(command.tree == workspace.tree for command in proofs) == 3
    assert sum(command.tree != workspace.tree for command in proofs) == 10 + len(("unpatched", "patched"))
    assert (workspace.tree / "app.py").read_text() == "unsafe()\n"


async def test_an_environment_that_cannot_be_made_ends_the_run(workspace: Workspace) -> None:
    result = await run(build_tools(workspace, toolchains=[FakeToolchain(broken="no compiler")]))
    assert (result.outcome, result.reason) == (Outcome.ENVIRONMENT_FAILED, "no compiler")


async def test_a_runner_that_cannot_be_used_is_the_environments_fault(workspace: Workspace) -> None:
    unusable = build_test_run()
    unusable = type(unusable)(results={}, execution=unusable.execution, usage_error="exit 4")
    result = await run(build_tools(workspace, toolchains=[FakeToolchain(runs=[unusable])]))
    assert result.outcome is Outcome.ENVIRONMENT_FAILED
    assert "exit 4" in result.reason


async def test_a_proof_that_reads_safe_is_not_reproduced(workspace: Workspace) -> None:
    """No patch is made for a flaw that is not there."""
    candidates = FakeCandidates([(build_candidate(),)])
    tools = build_tools(
        workspace, sandbox=ScriptedSandbox().on("python", SAFE), candidate_sources=[candidates]
    )
    result = await run(tools)
    assert result.outcome is Outcome.NOT_REPRODUCED
    assert candidates.asked == []


@pytest.mark.parametrize("answers", [[CRASHED], [VULNERABLE, SAFE]])
async def test_an_unclear_proof_leads_to_an_unproven_patch_at_best(
    workspace: Workspace, answers: list[object]
) -> None:
    """A crash or a changing verdict is inconclusive: the patch may be shown, never called fixed."""
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("python", *answers)  # type: ignore[arg-type]
    result = await run(build_tools(workspace, sandbox=sandbox))
    assert result.outcome is Outcome.UNPROVEN


async def test_a_proof_that_runs_no_code_of_the_project_does_not_count(workspace: Workspace) -> None:
    """A script that only prints the symptom is refused by coverage."""
    result = await run(build_tools(workspace, toolchains=[FakeToolchain(coverage=frozenset())]))
    assert result.outcome is Outcome.UNPROVEN
    assert result.proof is None


async def test_without_a_proof_a_patch_is_unproven(workspace: Workspace) -> None:
    result = await run(build_tools(workspace, proof_sources=[]))
    assert result.outcome is Outcome.UNPROVEN
    assert result.candidate is not None


async def test_no_file_and_no_candidate_are_no_patch(workspace: Workspace) -> None:
    result = await run(build_tools(workspace, ranker=FakeRanker(())))
    assert result.outcome is Outcome.NO_PATCH
    declined = Declined(source="a-rule", path="app.py", line=3, reason="the pattern is computed")
    result = await run(build_tools(workspace, candidate_sources=[FakeCandidates([(declined, declined)])]))
    assert result.outcome is Outcome.NO_PATCH
    assert result.reason == "declined by a-rule at app.py:3: the pattern is computed"
    assert result.declined == (declined,)


async def test_a_patch_that_leaves_the_flaw_is_refused(workspace: Workspace) -> None:
    """The refused patch is kept for people and never called the patch."""
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("python", VULNERABLE)
    result = await run(build_tools(workspace, sandbox=sandbox))
    assert result.outcome is Outcome.NO_PATCH
    assert (result.diff, result.candidate) == ("", None)
    assert "+safe()" in result.rejected_diff
    assert result.matrix is not None
    (row,) = result.matrix.of_kind(RowKind.PROOF)
    assert row.after == "vulnerable, run 1"


async def test_a_patch_that_crashes_the_proof_is_refused(workspace: Workspace) -> None:
    """An uncaught error ends with 1 as well; it must not read as safe."""
    crash = build_execution(
        exit_code=1, stderr="Traceback (most recent call last):\n  File x\nValueError: y\n"
    )
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on(on_patched(workspace), crash)
    result = await run(build_tools(workspace, sandbox=sandbox.on("python", VULNERABLE)))
    assert result.outcome is Outcome.NO_PATCH


async def test_breaking_one_test_and_fixing_another_is_a_regression(workspace: Workspace) -> None:
    """Tests are compared one by one, never by count."""
    before = build_test_run(a=TestStatus.PASSED, b=TestStatus.FAILED)
    after = build_test_run(a=TestStatus.FAILED, b=TestStatus.PASSED)
    result = await run(build_tools(workspace, toolchains=[FakeToolchain(runs=[before, after, after])]))
    assert result.outcome is Outcome.NO_PATCH
    assert result.matrix is not None
    (row,) = result.matrix.of_kind(RowKind.REGRESSION)
    assert (row.status, row.after) == (RowStatus.FAILED, "1 newly failing: a")


async def test_a_flaky_test_is_told_apart_by_running_again(workspace: Workspace) -> None:
    before = build_test_run(a=TestStatus.PASSED)
    runs = [before, build_test_run(a=TestStatus.FAILED), before]
    result = await run(build_tools(workspace, toolchains=[FakeToolchain(runs=runs)]))
    assert result.outcome is Outcome.FIXED


async def test_a_test_that_vanished_counts_as_broken(workspace: Workspace) -> None:
    runs = [build_test_run(a=TestStatus.PASSED, b=TestStatus.PASSED), build_test_run(a=TestStatus.PASSED)]
    result = await run(build_tools(workspace, toolchains=[FakeToolchain(runs=runs)]))
    assert result.outcome is Outcome.NO_PATCH


async def test_refinement_builds_on_the_best_attempt(workspace: Workspace) -> None:
    """A failed patch is improved, not thrown away: the next batch sees it first among the attempts."""
    half = build_candidate(changes={"app.py": b"half()\n"})
    whole = build_candidate(changes={"app.py": b"whole()\n"})
    candidates = FakeCandidates([(half,), (whole,)])
    sandbox = ScriptedSandbox().on("syntax", build_execution())
    sandbox.once(on_patched(workspace), VULNERABLE).on(on_patched(workspace), SAFE).on("python", VULNERABLE)
    result = await run(build_tools(workspace, sandbox=sandbox, candidate_sources=[candidates]))
    assert result.outcome is Outcome.FIXED
    assert result.candidate == whole
    assert candidates.asked[1].attempts[0].candidate == half


async def test_refinement_stops_after_its_rounds(workspace: Workspace) -> None:
    batches = [(build_candidate(changes={"app.py": f"try_{n}()\n".encode()}),) for n in range(9)]
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("python", VULNERABLE)
    result = await run(
        build_tools(workspace, sandbox=sandbox, candidate_sources=[FakeCandidates(list(batches))])
    )
    assert result.outcome is Outcome.NO_PATCH
    assert sum(record.stage is Stage.REFINE for record in result.stages) == 4
    assert "3 rounds" in result.reason


async def test_the_same_candidate_is_not_tried_twice(workspace: Workspace) -> None:
    candidates = FakeCandidates([(build_candidate(), build_candidate(source="twin")), (build_candidate(),)])
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("python", VULNERABLE)
    result = await run(build_tools(workspace, sandbox=sandbox, candidate_sources=[candidates]))
    assert result.outcome is Outcome.NO_PATCH
    assert sum(record.stage is Stage.VALIDATE for record in result.stages) == 1


async def test_a_patch_outside_its_scope_is_refused_before_anything_runs(workspace: Workspace) -> None:
    workflow_file = build_candidate(changes={".github/workflows/ci.yml": b"on: push\n"})
    result = await run(build_tools(workspace, candidate_sources=[FakeCandidates([(workflow_file,)])]))
    assert result.outcome is Outcome.NO_PATCH
    assert "protected" in result.reason


async def test_a_patch_that_does_not_parse_is_refused(workspace: Workspace) -> None:
    sandbox = ScriptedSandbox().on("syntax", build_execution(exit_code=1, stderr="SyntaxError"))
    result = await run(build_tools(workspace, sandbox=sandbox.on("python", VULNERABLE)))
    assert result.outcome is Outcome.NO_PATCH
    assert "parse" in result.reason


async def test_a_variant_that_still_works_refuses_the_patch(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A patch for the reported input alone does not pass; one variant that never worked says nothing."""
    other, dud = (
        build_proof(path="/tmp/other.py", argv=("python", "other")),
        build_proof(argv=("python", "dud")),
    )
    made = (Variant(name="other form", proof=other), Variant(name="never worked", proof=dud))
    monkeypatch.setattr(diagnose, "variants", lambda proof, cwes: made)
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("other", VULNERABLE).on("dud", SAFE)
    sandbox.on(on_patched(workspace), SAFE).on("python", VULNERABLE)
    result = await run(build_tools(workspace, sandbox=sandbox))
    assert result.outcome is Outcome.NO_PATCH
    assert result.matrix is not None
    assert [row.name for row in result.matrix.of_kind(RowKind.VARIANT)] == ["other form"]


async def test_a_control_with_other_output_refuses_the_patch(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A patch that removes the feature changes what ordinary use prints."""
    control = Variant(name="ordinary use", proof=build_proof(argv=("python", "benign")), benign=True)
    monkeypatch.setattr(diagnose, "controls", lambda proof, cwes: (control,))
    printed = [build_execution(exit_code=1, stdout=text) for text in ("5\n", "5\n", "None\n")]
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("benign", *printed)
    sandbox.on(on_patched(workspace), SAFE).on("python", VULNERABLE)
    result = await run(build_tools(workspace, sandbox=sandbox))
    assert result.outcome is Outcome.NO_PATCH
    assert "other output" in result.reason


async def test_without_tests_or_controls_nothing_is_fixed(workspace: Workspace) -> None:
    """Ordinary behaviour must be proved to be kept by something."""
    empty = type(build_test_run())(results={}, execution=build_execution("pytest"))
    result = await run(build_tools(workspace, toolchains=[FakeToolchain(runs=[empty])]))
    assert result.outcome is Outcome.NO_PATCH
    assert "ordinary use" in result.reason


async def test_a_suite_of_which_nothing_passes_is_no_evidence(workspace: Workspace) -> None:
    """Tests that fail before and after show nothing: without a control the patch is not accepted."""
    failing = build_test_run(a=TestStatus.FAILED)
    result = await run(build_tools(workspace, toolchains=[FakeToolchain(runs=[failing])]))
    assert result.outcome is Outcome.NO_PATCH
    assert result.baseline is None


async def test_a_spent_budget_keeps_what_was_found(workspace: Workspace) -> None:
    budget = Budget(limits=BudgetLimits(minutes=0.4), clock=SteppingClock(step=2.0))
    result = await run(build_tools(workspace, budget=budget))
    assert result.outcome is Outcome.BUDGET_EXHAUSTED
    assert "minutes" in result.reason
    assert result.stages


async def test_a_fault_of_the_sandbox_is_an_error_not_a_patch_failure(workspace: Workspace) -> None:
    sandbox = ScriptedSandbox().on("python", SandboxFaultError("it did not start"))
    result = await run(build_tools(workspace, sandbox=sandbox))
    assert result.outcome is Outcome.ERROR
    assert result.reason == "reproduce: it did not start"


async def test_a_folder_that_is_no_project_is_the_callers_mistake(workspace: Workspace) -> None:
    with pytest.raises(ProjectError):
        await run(build_tools(workspace, toolchains=[FakeToolchain(plan=None)]))


async def test_cancelling_leaves_the_state_of_the_last_stage(workspace: Workspace) -> None:
    """What was found before the cancel can still be written."""
    started = asyncio.Event()

    class Hanging(ScriptedSandbox):
        async def run(self, command: SandboxCommand) -> object:  # type: ignore[override]
            started.set()
            await asyncio.sleep(60)
            raise AgentError

    workflow = Workflow(
        run_id="r1", report=build_report(), tools=build_tools(workspace, sandbox=Hanging()), stages=STAGES
    )
    task = asyncio.create_task(workflow.run())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    result = workflow.result(Outcome.CANCELLED, "stopped on request")
    assert result.baseline is not None
    assert [record.stage for record in result.stages] == [Stage.ENVIRONMENT, Stage.BASELINE]
