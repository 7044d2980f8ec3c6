"""The model's proofs: reflected on, held to be honest, bounded; its claims are never a verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from agent.config import BudgetLimits, RunConfig
from agent.domain.conversation import ModelRole
from agent.domain.execution import KillReason
from agent.domain.project import Environment, TestStatus
from agent.errors import ModelError
from agent.llm.desk import ModelDesk
from agent.reproducing import ModelProofs
from agent.reproducing.model_proofs import MOST_TRIES
from agent.reproducing.programs import new_test_of, path_of
from agent.reproducing.replies import Answer, ProofReply
from agent.workflow.budget import Budget, BudgetExhaustedError
from agent.workflow.stages.reproduce import reproduce
from agent.workflow.state import RunState
from agent.workspace import open_workspace
from tests.fakes.models import ScriptedModel, say
from tests.fakes.sandbox import ScriptedSandbox, build_execution
from tests.fakes.workflow import (
    FakeProofs,
    FakeRanker,
    FakeToolchain,
    RecordedObserver,
    RecordedTrajectory,
    SteppingClock,
    build_plan,
    build_proof,
    build_report,
    build_test_run,
)
from tests.unit.agent.workflow.runs import CRASHED, SAFE, VULNERABLE, build_tools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agent.domain.conversation import Turn
    from agent.domain.execution import Execution, SandboxCommand
    from agent.workflow.state import Step, Tools
    from agent.workspace import Workspace

APP = "def load(name):\n    return open(name)\n"
GOOD = "import sys, app\nsys.exit(0 if app.load('x') else 1)  # {}\n"
TEST = "import app\n\n\ndef test_load():\n    assert not app.load('x')\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "project" / "tests").mkdir(parents=True)
    (tmp_path / "project" / "app.py").write_text(APP)
    (tmp_path / "project" / "tests" / "test_old.py").write_text("def test_old(): pass\n")
    with open_workspace(tmp_path / "project", parent=tmp_path) as opened:
        yield opened


def proof(code: str = GOOD, number: int = 0, **changes: object) -> Turn:
    return say(reply(code, number) | changes)


def reply(code: str = GOOD, number: int = 0) -> dict[str, object]:
    return {
        "answer": "proof",
        "reason": "It opens any file.",
        "code": code.replace("{}", str(number)),
        "oracle": "opens",
        "sinks": [{"path": "app.py", "symbol": "load"}],
    }


def claim(answer: str = "no_flaw") -> Turn:
    return say({"answer": answer, "reason": "The path is checked in line 1."})


def stubbed_tree(command: SandboxCommand) -> bool:
    return command.tree is not None and (command.tree / "app.py").read_text() != APP


def sandbox(*answers: Execution, stubbed: Execution = SAFE) -> ScriptedSandbox:
    return ScriptedSandbox().on(stubbed_tree, stubbed).on("python", *answers)


def with_model(
    workspace: Workspace,
    model: ScriptedModel,
    box: ScriptedSandbox,
    calls: int | None = None,
    **changes: object,
) -> Tools:
    budget = Budget(limits=BudgetLimits(minutes=None, calls=calls), clock=SteppingClock())
    trajectory = RecordedTrajectory()
    fields: dict[str, object] = {
        "models": ModelDesk(models={ModelRole.AUTHOR: [model]}, budget=budget, trajectory=trajectory),
        "budget": budget,
        "trajectory": trajectory,
        "sandbox": box,
        "ranker": FakeRanker(paths=("app.py",)),
        "proof_sources": [FakeProofs(), ModelProofs()],
    }
    return build_tools(workspace, **(fields | changes))


async def stage(tools: Tools, toolchain: FakeToolchain | None = None, **report: object) -> Step:
    chain = toolchain or FakeToolchain(functions=frozenset({("app.py", 1)}))
    state = RunState(
        report=build_report(**report), toolchain=chain, environment=Environment(plan=build_plan())
    )
    return await reproduce(state, tools)


async def test_an_honest_proof_counts_at_once(workspace: Workspace) -> None:
    model = ScriptedModel(proof())
    step = await stage(with_model(workspace, model, sandbox(VULNERABLE)))
    assert step.result.value == "reproduced"
    assert step.summary.startswith("the model's proof showed the flaw 3 of 3 times")
    assert step.state.proof is not None
    assert (step.state.proof.origin, step.state.proof.argv) == ("model", ("python", "/tmp/suture_proof.py"))
    assert [one.symbol for one in step.state.proof.sinks] == ["load"]
    assert step.state.functions == {("app.py", 1)}


async def test_the_last_program_its_output_and_the_reason_are_fed_back(workspace: Workspace) -> None:
    crash = build_execution(exit_code=2, stdout="nothing seen", stderr="KeyError: x")
    model = ScriptedModel(proof(number=1), proof(number=2))
    step = await stage(with_model(workspace, model, sandbox(crash, crash, crash, VULNERABLE)))
    assert step.result.value == "reproduced"
    asked = model.asked[1][0].text
    assert "# 1" in asked
    assert "nothing seen\nKeyError: x" in asked
    assert "exit code 2 (inconclusive)" in asked
    assert "neither vulnerable nor safe" in asked
    assert "6 tries are left" in asked
    assert "7 tries are left" in model.asked[0][0].text


async def test_the_reporters_last_proof_is_shown_first(workspace: Workspace) -> None:
    model = ScriptedModel(claim())
    sources = [FakeProofs([build_proof(code="theirs()")]), ModelProofs()]
    await stage(with_model(workspace, model, sandbox(CRASHED), proof_sources=sources))
    assert "theirs()" in model.asked[0][0].text


async def test_seven_tries_and_no_more_whatever_the_bound_of_snippets(workspace: Workspace) -> None:
    model = ScriptedModel(*[proof(number=number) for number in range(MOST_TRIES + 3)])
    theirs = FakeProofs([build_proof(code=f"theirs({number})") for number in range(3)])
    tools = with_model(
        workspace,
        model,
        sandbox(CRASHED),
        config=replace(RunConfig(), proofs=1),
        proof_sources=[theirs, ModelProofs()],
    )
    step = await stage(tools)
    assert isinstance(tools.observer, RecordedObserver)
    assert "only the first 1 proofs of the report are tried" in tools.observer.notes
    assert len(model.asked) == MOST_TRIES == 7
    assert step.result.value == "inconclusive"


async def test_the_same_program_again_is_not_run_again(workspace: Workspace) -> None:
    model = ScriptedModel(proof(), proof(), claim("cannot"))
    box = sandbox(CRASHED)
    await stage(with_model(workspace, model, box))
    assert len(box.commands) == 3
    assert "tried before" in model.asked[2][0].text


@pytest.mark.parametrize("answer", ["no_flaw", "cannot"])
async def test_a_claim_is_no_proof_and_never_safe(workspace: Workspace, answer: str) -> None:
    step = await stage(with_model(workspace, ScriptedModel(claim(answer)), sandbox(SAFE)))
    assert step.result.value == "no_proof"
    assert "The path is checked in line 1." in step.summary


async def test_a_claim_after_a_safe_try_is_still_no_proof(workspace: Workspace) -> None:
    step = await stage(with_model(workspace, ScriptedModel(proof(), claim()), sandbox(SAFE)))
    assert step.result.value == "no_proof"


@pytest.mark.parametrize(
    ("fixed", "expected"), [((), "inconclusive"), (("1.0",), "already_fixed"), (("9.0",), "inconclusive")]
)
async def test_safe_tries_of_a_model_alone_are_not_safe(
    workspace: Workspace, fixed: tuple[str, ...], expected: str
) -> None:
    (workspace.tree / "PKG-INFO").write_text("Version: 2.0\n")
    model = ScriptedModel(*[proof(number=number) for number in range(MOST_TRIES)])
    step = await stage(with_model(workspace, model, sandbox(SAFE)), fixed=fixed)
    assert step.result.value == expected


async def test_the_reporters_safe_proof_decides_when_the_model_shows_nothing(workspace: Workspace) -> None:
    sources = [FakeProofs([build_proof()]), ModelProofs()]
    box = sandbox(*[SAFE] * 3, CRASHED)
    step = await stage(with_model(workspace, ScriptedModel(proof(), claim()), box, proof_sources=sources))
    assert step.result.value == "safe"


async def test_a_model_that_fails_is_noted(workspace: Workspace) -> None:
    tools = with_model(workspace, ScriptedModel(ModelError("no such model")), sandbox(SAFE))
    step = await stage(tools)
    assert step.result.value == "no_proof"
    assert "no such model" in step.summary
    assert isinstance(tools.observer, RecordedObserver)
    assert "no such model" in tools.observer.notes[0]


async def test_a_spent_budget_is_never_swallowed(workspace: Workspace) -> None:
    tools = with_model(workspace, ScriptedModel(proof(), proof()), sandbox(CRASHED), calls=1)
    with pytest.raises(BudgetExhaustedError):
        await stage(tools)


@pytest.mark.parametrize(
    ("chain", "stubbed", "code", "reason"),
    [
        (FakeToolchain(), SAFE, GOOD, "none of its sinks ran"),
        (FakeToolchain(coverage=frozenset()), SAFE, GOOD, "none of the project's code"),
        (FakeToolchain(coverage=frozenset({"x.py"})), SAFE, GOOD, "no file that the report is about"),
        (FakeToolchain(functions=frozenset({("app.py", 2)})), SAFE, GOOD, "cannot be stubbed"),
        (FakeToolchain(functions=frozenset({("app.py", 1)})), VULNERABLE, GOOD, "although they were stubbed"),
        (FakeToolchain(), SAFE, "import app\napp.load('x')\nexit(0)\n", "does not depend"),
    ],
    ids=["sink not run", "nothing run", "unranked", "no function", "faked", "just exits"],
)
async def test_a_proof_that_does_not_count_is_told_why(
    workspace: Workspace, chain: FakeToolchain, stubbed: Execution, code: str, reason: str
) -> None:
    model = ScriptedModel(proof(code), claim())
    step = await stage(with_model(workspace, model, sandbox(VULNERABLE, stubbed=stubbed)), chain)
    assert step.result.value == "no_proof"
    assert reason in model.asked[1][0].text


async def test_a_proof_that_never_ends_is_told_so(workspace: Workspace) -> None:
    model = ScriptedModel(proof(), claim())
    hung = build_execution(exit_code=None, killed_by=KillReason.TIME)
    await stage(with_model(workspace, model, sandbox(hung)))
    assert "stopped by the limit of time" in model.asked[1][0].text
    assert "no exit code (inconclusive)" in model.asked[1][0].text


@pytest.mark.parametrize(
    ("raises", "returns", "expected"),
    [
        (SAFE, VULNERABLE, "reproduced"),
        (VULNERABLE, SAFE, "reproduced"),
        (CRASHED, CRASHED, "reproduced"),
        (CRASHED, VULNERABLE, "no_proof"),
        (VULNERABLE, VULNERABLE, "no_proof"),
    ],
)
async def test_what_the_stubs_tell(
    workspace: Workspace, raises: Execution, returns: Execution, expected: str
) -> None:
    """Safe by either stub is enough; a crash by the one that raises is what a faker would do too."""
    box = ScriptedSandbox().once(stubbed_tree, raises).on(stubbed_tree, returns).on("python", VULNERABLE)
    step = await stage(with_model(workspace, ScriptedModel(proof(), claim()), box))
    assert step.result.value == expected


async def test_a_proof_that_changes_its_mind_does_not_count(workspace: Workspace) -> None:
    model = ScriptedModel(proof(), claim())
    await stage(with_model(workspace, model, sandbox(VULNERABLE, SAFE)))
    assert "not read the same" in model.asked[1][0].text


@pytest.mark.parametrize(
    ("status", "kept"), [(TestStatus.FAILED, True), (TestStatus.PASSED, False), (TestStatus.ERROR, False)]
)
async def test_a_test_is_kept_when_it_fails(workspace: Workspace, status: TestStatus, *, kept: bool) -> None:
    chain = FakeToolchain(functions=frozenset({("app.py", 1)}), runs=[build_test_run(test_load=status)])
    model = ScriptedModel(proof(test_path="tests/test_load.py", test_code=TEST))
    step = await stage(with_model(workspace, model, sandbox(VULNERABLE)), chain)
    assert (step.state.regression_test is not None) is kept
    assert ("tests/test_load.py fails as it should" in step.summary) is kept
    assert chain.overwritten == [{"tests/test_load.py": TEST.encode()}]


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("tests/test_new.py", True),
        ("./tests/test_new.py", True),
        ("tests/test_old.py", False),
        ("app.py", False),
        ("tests/test_new.js", False),
        (".github/tests/test_new.py", False),
        ("../tests/test_new.py", False),
        ("/tests/test_new.py", False),
        ("", False),
    ],
)
def test_where_a_test_may_be_written(workspace: Workspace, path: str, *, kept: bool) -> None:
    given = ProofReply(answer=Answer.CANNOT, reason="", test_path=path, test_code=TEST)
    assert (new_test_of(given, "python", workspace.read) is not None) is kept


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("const a = require('a')\n", "cjs"),
        ("import a from 'a'\n", "mjs"),
        ("import 'a'\n", "mjs"),
        ("await import('a')\n", "mjs"),
        ("import('a').then(f)\n", "cjs"),
    ],
)
def test_a_module_has_its_own_ending(code: str, expected: str) -> None:
    assert path_of("javascript", code) == f"/tmp/suture_proof.{expected}"


async def test_without_a_model_nothing_is_asked(workspace: Workspace) -> None:
    step = await stage(build_tools(workspace, proof_sources=[ModelProofs()]))
    assert (step.result.value, step.state.files) == ("no_proof", ())


@pytest.mark.parametrize("changes", [{"code": ""}, {"sinks": []}])
async def test_a_proof_without_program_or_sinks_is_asked_for_again(
    workspace: Workspace, changes: dict[str, object]
) -> None:
    model = ScriptedModel(say(reply() | changes), proof())
    step = await stage(with_model(workspace, model, sandbox(VULNERABLE)))
    assert step.result.value == "reproduced"
    assert "needs `code`" in model.asked[1][-1].text
