"""No patch is called fixed on the word of a proof or a test suite that says nothing about it."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from agent.config import RunConfig
from agent.domain.execution import KillReason
from agent.domain.matrix import RowKind, RowStatus
from agent.domain.project import TestRun, TestStatus
from agent.domain.run import Outcome
from agent.workflow.driver import Workflow
from agent.workflow.stages import diagnose
from agent.workflow.stages.catalogue import STAGES
from tests.fakes.sandbox import ScriptedSandbox, build_execution
from tests.fakes.workflow import (
    FakeCandidates,
    FakeProofs,
    FakeRanker,
    FakeToolchain,
    RecordedTrajectory,
    build_candidate,
    build_proof,
    build_report,
    build_test_run,
)
from tests.unit.agent.workflow.runs import (
    SAFE,
    VULNERABLE,
    build_tools,
    opened_project,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agent.domain.execution import Execution, SandboxCommand
    from agent.workspace import Workspace

PASSED, FAILED, SKIPPED = TestStatus.PASSED, TestStatus.FAILED, TestStatus.SKIPPED


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with opened_project(tmp_path) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnose, "variants", lambda proof, cwes: ())
    monkeypatch.setattr(diagnose, "controls", lambda proof, cwes: ())


def cut_short(**results: TestStatus) -> TestRun:
    execution = build_execution("pytest", exit_code=None, killed_by=KillReason.TIME)
    return TestRun(results=results, execution=execution, complete=False)


def unusable() -> TestRun:
    execution = build_execution("pytest", exit_code=4)
    return TestRun(results={}, execution=execution, usage_error="exit 4", complete=False)


@pytest.mark.parametrize(
    ("before", "after", "again"),
    [
        (build_test_run(a=PASSED), build_test_run(a=SKIPPED), build_test_run(a=SKIPPED)),
        (build_test_run(a=PASSED), build_test_run(a=FAILED), cut_short()),
        (build_test_run(a=PASSED), build_test_run(a=FAILED), unusable()),
        (cut_short(a=PASSED, b=PASSED, c=PASSED), cut_short(), cut_short()),
        (cut_short(a=PASSED, b=PASSED, c=PASSED), cut_short(a=PASSED), cut_short(a=PASSED)),
    ],
    ids=["skipped now", "second run hangs", "second run unusable", "none ran again", "few ran again"],
)
async def test_tests_that_were_not_seen_to_pass_again_refuse_the_patch(
    workspace: Workspace, before: TestRun, after: TestRun, again: TestRun
) -> None:
    result = await run(
        build_tools(workspace, toolchains=[FakeToolchain(runs=[before, after, again])]),
    )
    assert result.outcome is Outcome.NO_PATCH
    assert result.matrix is not None
    (row,) = result.matrix.of_kind(RowKind.REGRESSION)
    assert row.status is RowStatus.FAILED


async def test_a_suite_cut_short_both_times_may_still_speak(workspace: Workspace) -> None:
    """A long suite is stopped by the clock before and after: what ran again and passed is evidence."""
    toolchain = FakeToolchain(runs=[cut_short(a=PASSED, b=PASSED, c=PASSED), cut_short(a=PASSED, b=PASSED)])
    assert (await run(build_tools(workspace, toolchains=[toolchain]))).outcome is Outcome.FIXED


class Reaching(FakeToolchain):
    """The proof runs ``app.py``; the suite runs ``ran``."""

    ran: frozenset[str] = frozenset()

    async def covered(
        self, environment: object, tree: object, sandbox: object, command: SandboxCommand
    ) -> frozenset[str]:
        return self.ran if command.argv[0] == "bash" else frozenset({"app.py"})


@pytest.mark.parametrize(
    ("reached", "outcome"),
    [
        (frozenset(), Outcome.NO_PATCH),
        (frozenset({"tests/test_other.py", "other.py"}), Outcome.NO_PATCH),
        (frozenset({"tests/test_app.py", "app.py"}), Outcome.FIXED),
    ],
)
async def test_a_suite_that_never_enters_the_code_is_no_evidence(
    workspace: Workspace, reached: frozenset[str], outcome: Outcome
) -> None:
    """``npm test`` that prints ok, or tests of something else, pass with any patch."""
    toolchain = Reaching()
    toolchain.ran = reached
    result = await run(build_tools(workspace, toolchains=[toolchain]))
    assert result.outcome is outcome
    assert result.matrix is not None
    (row,) = result.matrix.of_kind(RowKind.REGRESSION)
    assert ("none runs the code in question" in row.after) == (outcome is Outcome.NO_PATCH)


def by_text(judge: Callable[[str], bool]) -> Callable[[SandboxCommand], Execution]:
    """Return a proof that calls the flaw shown when ``judge`` likes the text of ``app.py``."""

    def answer(command: SandboxCommand) -> Execution:
        assert command.tree is not None
        return VULNERABLE if judge((command.tree / "app.py").read_text()) else SAFE

    return answer


@pytest.mark.parametrize(
    "judge",
    [
        lambda text: "unsafe()" in text,
        lambda text: "\nsafe()" not in f"\n{text}".replace("# ", ""),
        lambda text: text == "unsafe()\n",
    ],
    ids=["old text is there", "new text is missing", "as it was, byte for byte"],
)
async def test_a_proof_that_reads_the_sources_proves_nothing(
    workspace: Workspace, judge: Callable[[str], bool]
) -> None:
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("python", by_text(judge))
    result = await run(build_tools(workspace, sandbox=sandbox))
    assert result.outcome is Outcome.NO_PATCH
    assert "behaviour, not text" in result.reason


async def test_a_proof_that_goes_silent_with_time_proves_nothing(workspace: Workspace) -> None:
    """Three times vulnerable, then safe for ever: the unpatched code is asked once more at the end."""
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("python", *[VULNERABLE] * 3, SAFE)
    result = await run(build_tools(workspace, sandbox=sandbox))
    assert result.outcome is Outcome.NO_PATCH
    assert "behaviour, not text or time" in result.reason


async def test_a_file_that_has_no_comments_is_shown_as_it_is(workspace: Workspace) -> None:
    """A template that ends with other text would be another template."""
    (workspace.tree / "app.html").write_text("unsafe\n")

    def answer(command: SandboxCommand) -> Execution:
        assert command.tree is not None
        return {"unsafe\n": VULNERABLE, "safe\n": SAFE}[(command.tree / "app.html").read_text()]

    tools = build_tools(
        workspace,
        ranker=FakeRanker(("app.html",)),
        candidate_sources=[FakeCandidates([(build_candidate(changes={"app.html": b"safe\n"}),)])],
        sandbox=ScriptedSandbox().on("syntax", build_execution()).on("python", answer),
    )
    assert (await run(tools)).outcome is Outcome.FIXED


@pytest.mark.parametrize("fixed", [("0.0.1",), ()])
async def test_a_proof_that_only_says_safe_says_nothing(workspace: Workspace, fixed: tuple[str, ...]) -> None:
    """``sys.exit(1)`` runs nothing of the project: neither already fixed nor not reproduced."""
    (workspace.tree / "setup.cfg").write_text("[metadata]\nversion = 1.0\n")
    tools = build_tools(
        workspace,
        sandbox=ScriptedSandbox().on("syntax", build_execution()).on("python", SAFE),
        toolchains=[FakeToolchain(coverage=frozenset())],
    )
    result = await run(tools, build_report(fixed=fixed))
    assert result.outcome is Outcome.UNPROVEN


async def test_thousands_of_proofs_do_not_eat_the_budget(workspace: Workspace) -> None:
    """Each different proof is tried, up to a bound; the same one is not tried twice."""
    proofs = [build_proof(code=f"exploit({number // 2})") for number in range(2000)]
    sandbox = ScriptedSandbox().on("syntax", build_execution()).on("python", SAFE)
    config = RunConfig(proofs=5)
    tools = build_tools(workspace, sandbox=sandbox, proof_sources=[FakeProofs(proofs)], config=config)
    assert (await run(tools)).outcome is Outcome.NOT_REPRODUCED
    assert len(sandbox.commands) == 5 * config.reproduce_runs


async def test_a_full_disk_ends_the_run_and_keeps_what_was_found(workspace: Workspace) -> None:
    class Full(FakeToolchain):
        async def covered(self, *_: object, **__: object) -> frozenset[str]:
            raise OSError(errno.ENOSPC, "No space left on device")

    result = await run(build_tools(workspace, toolchains=[Full()]))
    assert result.outcome is Outcome.ERROR
    assert result.reason == "reproduce: the machine refused: No space left on device"
    assert result.baseline is not None


async def test_a_fault_of_our_own_keeps_what_was_found(workspace: Workspace) -> None:
    tools = build_tools(workspace)
    workflow = Workflow(run_id="r1", report=build_report(), tools=tools, stages=STAGES)
    await workflow.run()
    result = workflow.fault(KeyError("secret of mine"))
    assert result.outcome is Outcome.ERROR
    assert result.reason == "a fault of Suture (KeyError); trajectory.jsonl holds the traceback"
    assert result.baseline is not None
    assert isinstance(tools.trajectory, RecordedTrajectory)
    assert "KeyError: 'secret of mine'" in str(tools.trajectory.events[-1][1]["traceback"])


async def test_a_patch_is_held_against_the_tests_as_they_were(workspace: Workspace) -> None:
    """It may rewrite a test, and that shows in the diff; the suite runs the old one."""
    (workspace.tree / "tests").mkdir()
    (workspace.tree / "tests" / "test_app.py").write_bytes(b"old\n")
    changes = {"app.py": b"safe()\n", "tests/test_app.py": b"pass\n"}
    toolchain = FakeToolchain()
    tools = build_tools(
        workspace,
        toolchains=[toolchain],
        ranker=FakeRanker(("app.py", "tests/test_app.py")),
        candidate_sources=[FakeCandidates([(build_candidate(changes=changes),)])],
    )
    assert (await run(tools)).outcome is Outcome.FIXED
    assert toolchain.overwritten == [None, {"tests/test_app.py": b"old\n"}]


async def test_files_that_are_gone_from_the_checkout_are_not_ranked(workspace: Workspace) -> None:
    tools = build_tools(workspace, ranker=FakeRanker(("deleted.py", "app.py")))
    assert [file.path for file in (await run(tools)).files] == ["app.py"]
