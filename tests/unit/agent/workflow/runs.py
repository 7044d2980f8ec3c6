"""Builders of whole runs on a small project, with every port faked."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from agent.config import BudgetLimits, RunConfig
from agent.workflow.budget import Budget
from agent.workflow.driver import Workflow
from agent.workflow.stages.catalogue import STAGES
from agent.workflow.state import Tools
from agent.workspace import Workspace, open_workspace
from tests.fakes.sandbox import ScriptedSandbox, build_execution
from tests.fakes.workflow import (
    FakeCandidates,
    FakeProofs,
    FakeRanker,
    FakeToolchain,
    RecordedObserver,
    RecordedTrajectory,
    SteppingClock,
    build_candidate,
    build_proof,
    build_report,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agent.domain.execution import SandboxCommand
    from agent.domain.report import Report
    from agent.domain.run import RunResult

VULNERABLE, SAFE, CRASHED = (build_execution(exit_code=code) for code in (0, 1, 7))


@contextmanager
def opened_project(folder: Path) -> Iterator[Workspace]:
    """Yield the private copy of a project of two files, of which ``app.py`` is unsafe."""
    (folder / "project").mkdir()
    (folder / "project" / "app.py").write_text("unsafe()\n")
    (folder / "project" / "other.py").write_text("other()\n")
    with open_workspace(folder / "project", parent=folder) as opened:
        yield opened


def on_patched(workspace: Workspace) -> Callable[[SandboxCommand], bool]:
    """Match proofs that run on code that is patched, whatever its comments say."""
    unsafe = (workspace.tree / "app.py").read_bytes()

    def patched(command: SandboxCommand) -> bool:
        tree = command.tree
        return command.argv[0] == "python" and tree is not None and not _code(tree).startswith(unsafe)

    return patched


def _code(tree: Path) -> bytes:
    return (tree / "app.py").read_bytes()


def build_sandbox(workspace: Workspace) -> ScriptedSandbox:
    """Return a sandbox in which the proof shows the flaw before a patch and reads safe after it."""
    return (
        ScriptedSandbox()
        .on("syntax", build_execution())
        .on(on_patched(workspace), SAFE)
        .on("python", VULNERABLE)
    )


def build_tools(workspace: Workspace, **changes: object) -> Tools:
    """Return tools with which a good patch is found at once."""
    fields: dict[str, object] = {
        "workspace": workspace,
        "sandbox": build_sandbox(workspace),
        "toolchains": [FakeToolchain()],
        "ranker": FakeRanker(),
        "proof_sources": [FakeProofs([build_proof()])],
        "candidate_sources": [FakeCandidates([(build_candidate(),)])],
        "trajectory": RecordedTrajectory(),
        "observer": RecordedObserver(),
        "budget": Budget(limits=BudgetLimits(minutes=None), clock=SteppingClock()),
        "config": RunConfig(),
    }
    return Tools(**(fields | changes))  # type: ignore[arg-type]


async def run(tools: Tools, report: Report | None = None) -> RunResult:
    """Run a workflow to its outcome."""
    return await Workflow(run_id="r1", report=report or build_report(), tools=tools, stages=STAGES).run()
