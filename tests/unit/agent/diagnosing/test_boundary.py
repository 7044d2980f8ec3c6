"""Programs that a model derives count as far as they were seen to hold, and bind a patch only when they must."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from agent.config import BudgetLimits, RunConfig
from agent.domain.conversation import ModelRole
from agent.domain.execution import Coverage
from agent.domain.matrix import RowKind, RowStatus
from agent.domain.place import Place
from agent.domain.project import Environment
from agent.domain.run import Depth
from agent.errors import ModelError
from agent.llm.desk import ModelDesk
from agent.workflow.budget import Budget, BudgetExhaustedError
from agent.workflow.rows import build_matrix
from agent.workflow.stages import diagnose as stage
from agent.workflow.state import RunState
from agent.workspace import open_workspace
from retrieval.domain import RankedFile
from tests.fakes.models import ScriptedModel, say
from tests.fakes.sandbox import ScriptedSandbox, build_execution
from tests.fakes.workflow import (
    FakeToolchain,
    RecordedObserver,
    RecordedTrajectory,
    SteppingClock,
    build_candidate,
    build_plan,
    build_proof,
    build_report,
)
from tests.unit.agent.workflow.runs import CRASHED, SAFE, VULNERABLE, build_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agent.domain.conversation import Turn
    from agent.domain.execution import Execution, SandboxCommand
    from agent.workflow.state import Case, Tools
    from agent.workspace import Workspace

APP = "def load(name):\n    return open(name)\n\n\ndef other(name):\n    return name\n"
SINK, ELSEWHERE = ("app.py", 1), ("app.py", 5)
END = "\nimport sys\nsys.exit(0 if app.load('x') else 1)\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "app.py").write_text(APP)
    with open_workspace(tmp_path / "project", parent=tmp_path) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _none_by_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "variants", lambda _proof, _cwes: ())
    monkeypatch.setattr(stage, "controls", lambda _proof, _cwes: ())


class ByProgram(FakeToolchain):
    """Covers ``other`` for programs that hold ELSEWHERE, no file of the project for those that hold NOWHERE."""

    async def reached(self, *given: object) -> Coverage:
        command: SandboxCommand = given[-1]  # type: ignore[assignment]
        code = _code(command)
        functions = frozenset({ELSEWHERE if "ELSEWHERE" in code else SINK})
        files = frozenset({"x.py" if "NOWHERE" in code else "app.py"})
        return Coverage(files=files, functions=functions if "NOWHERE" not in code else frozenset())


def _code(command: SandboxCommand) -> str:
    return b"".join(command.files.values()).decode()


def holding(text: str, *, stubbed: bool | None = None) -> Callable[[SandboxCommand], bool]:
    def matches(command: SandboxCommand) -> bool:
        changed = command.tree is not None and (command.tree / "app.py").read_text() != APP
        return text in _code(command) and (stubbed is None or changed is stubbed)

    return matches


def program(word: str, *, sure: bool = True) -> dict[str, object]:
    return {"name": word.lower(), "code": f"# {word}\nimport app{END}", "sure": sure}


def answer(
    variants: tuple[dict[str, object], ...] = (), controls: tuple[dict[str, object], ...] = (), **more: object
) -> Turn:
    return say({"variants": variants, "controls": controls} | more)


def box(*extra: tuple[str, bool | None, Execution]) -> ScriptedSandbox:
    made = ScriptedSandbox()
    for word, stubbed, execution in extra:
        made.on(holding(word, stubbed=stubbed), execution)
    return (
        made.on(holding("VARIANT", stubbed=True), SAFE)
        .on(holding("VARIANT"), VULNERABLE)
        .on(holding("CONTROL"), SAFE)
    )


def with_model(
    workspace: Workspace,
    model: ScriptedModel,
    sandbox: ScriptedSandbox,
    depth: Depth = Depth.STANDARD,
    calls: int | None = None,
) -> Tools:
    budget = Budget(limits=BudgetLimits(minutes=None, calls=calls), clock=SteppingClock())
    trajectory = RecordedTrajectory()
    return build_tools(
        workspace,
        models=ModelDesk(models={ModelRole.AUTHOR: [model]}, budget=budget, trajectory=trajectory),
        budget=budget,
        trajectory=trajectory,
        sandbox=sandbox,
        config=replace(RunConfig(), depth=depth),
    )


def build_state(**changes: object) -> RunState:
    fields: dict[str, object] = {
        "report": build_report(),
        "toolchain": ByProgram(),
        "environment": Environment(plan=build_plan()),
        "proof": build_proof(),
        "covered": frozenset({"app.py"}),
        "functions": frozenset({SINK, ELSEWHERE}),
        "files": (RankedFile(path="app.py", score=1.0),),
        "places": (Place(path="app.py", start_line=1, end_line=2, symbol="load"),),
    }
    return RunState(**(fields | changes))  # type: ignore[arg-type]


def names(cases: tuple[Case, ...]) -> list[tuple[str, bool, bool]]:
    return [(case.variant.name, case.variant.benign, case.variant.required) for case in cases]


async def test_programs_that_hold_become_cases(workspace: Workspace) -> None:
    model = ScriptedModel(answer((program("VARIANT 1"),), (program("CONTROL 1"),)))
    step = await stage.diagnose(build_state(), with_model(workspace, model, box()))
    assert names(step.state.cases) == [
        ("variant 1 (by the model)", False, True),
        ("control 1 (by the model)", True, True),
    ]
    assert step.summary == "1 variant of the attack also work, 1 benign control hold"
    assert step.state.cases[0].variant.proof.argv == ("python", "/tmp/suture_proof.py")


@pytest.mark.parametrize(
    ("given", "extra"),
    [
        (program("VARIANT ELSEWHERE"), ()),
        (program("VARIANT 1", sure=False), ()),
        (program("VARIANT DEAF"), (("DEAF", None, VULNERABLE),)),
    ],
    ids=["another function", "goes beyond", "does not depend on the sink"],
)
async def test_an_attack_that_may_ask_too_much_informs_only(
    workspace: Workspace, given: dict[str, object], extra: tuple[tuple[str, bool | None, Execution], ...]
) -> None:
    model = ScriptedModel(answer((given,)))
    step = await stage.diagnose(build_state(), with_model(workspace, model, box(*extra)))
    assert [required for _, _, required in names(step.state.cases)] == [False]


async def test_a_case_that_informs_never_refuses_a_patch(workspace: Workspace) -> None:
    model = ScriptedModel(answer((program("VARIANT ELSEWHERE"),)))
    sandbox = box().on("syntax", build_execution()).on("poc.py", SAFE)
    tools = with_model(workspace, model, sandbox)
    step = await stage.diagnose(build_state(), tools)
    changes = {"app.py": APP.encode() + b"# changed\n"}
    copy = workspace.patched(changes)
    sandbox.script.insert(0, ScriptedSandbox().on(holding("VARIANT", stubbed=True), VULNERABLE).script[0])
    state = replace(step.state, proof=None)
    before = {"app.py": APP.encode()}
    matrix = await build_matrix(build_candidate(changes=changes), "", before, copy, state, tools)
    [row] = matrix.of_kind(RowKind.VARIANT)
    assert (row.status, row.required) == (RowStatus.FAILED, False)
    assert row not in matrix.failing


@pytest.mark.parametrize(
    ("given", "benign", "extra", "reason"),
    [
        (program("VARIANT SAFE"), False, (("SAFE", None, SAFE),), "it was safe on the code"),
        (program("VARIANT NOWHERE"), False, (), "none of the code in question"),
        (program("CONTROL BAD"), True, (("BAD", None, VULNERABLE),), "it was vulnerable on the code"),
        (program("CONTROL BAD"), True, (("BAD", None, CRASHED),), "it was inconclusive on the code"),
        (program("CONTROL NOWHERE"), True, (), "does not run through the code"),
        (program("CONTROL ELSEWHERE"), True, (), "does not run through the code"),
        (
            {"name": "bare", "code": "import app\napp.load(1)\nexit(0)", "sure": True},
            False,
            (),
            "does not depend",
        ),
        (
            {"name": "bare", "code": "import app\napp.load(1)\nexit(0)", "sure": True},
            True,
            (),
            "does not depend",
        ),
    ],
)
async def test_what_does_not_hold_is_fed_back_once(
    workspace: Workspace,
    given: dict[str, object],
    benign: bool,
    extra: tuple[tuple[str, bool | None, Execution], ...],
    reason: str,
) -> None:
    first = answer((), (given,)) if benign else answer((given,))
    again = answer((program("VARIANT 2"),))
    model = ScriptedModel(first, again)
    step = await stage.diagnose(build_state(), with_model(workspace, model, box(*extra)))
    assert reason in model.asked[1][0].text
    assert [name for name, _, _ in names(step.state.cases)] == ["variant 2 (by the model)"]
    assert len(model.asked) == 2


async def test_a_control_that_prints_otherwise_is_refused(workspace: Workspace) -> None:
    one, two = (build_execution(exit_code=1, stdout=text) for text in ("1", "2"))
    sandbox = ScriptedSandbox().once(holding("CONTROL"), one, two)
    model = ScriptedModel(answer((), (program("CONTROL 1"),)), answer())
    step = await stage.diagnose(build_state(), with_model(workspace, model, sandbox))
    assert step.state.cases == ()
    assert "not print the same" in model.asked[1][0].text


async def test_without_a_known_sink_covered_files_must_do(workspace: Workspace) -> None:
    model = ScriptedModel(answer((program("VARIANT 1"),), (program("CONTROL 1"),)))
    step = await stage.diagnose(build_state(places=()), with_model(workspace, model, box()))
    assert [(benign, required) for _, benign, required in names(step.state.cases)] == [
        (False, False),
        (True, True),
    ]


async def test_no_more_than_asked_for_and_none_twice(workspace: Workspace) -> None:
    many = tuple(program(f"VARIANT {number}") for number in range(6))
    bad = program("CONTROL NOWHERE")
    model = ScriptedModel(
        answer(many, (bad, program("CONTROL 1"), program("CONTROL 1"))), answer((program("VARIANT 7"),))
    )
    step = await stage.diagnose(build_state(), with_model(workspace, model, box()))
    assert len(step.state.cases) == 7
    assert "at most 0: the same attack" in model.asked[1][0].text


async def test_entry_points_that_exist_are_kept(workspace: Workspace) -> None:
    points = [
        {"path": "app.py", "symbol": "load", "reason": "reported"},
        {"path": "app.py", "symbol": "other"},
        {"path": "app.py", "symbol": "gone"},
        {"path": "/etc/passwd", "start_line": 1},
    ]
    model = ScriptedModel(answer(entry_points=points))
    step = await stage.diagnose(build_state(), with_model(workspace, model, box()))
    assert [(one.symbol, one.start_line) for one in step.state.entry_points] == [("load", 1), ("other", 5)]


async def test_quick_depth_asks_nothing(workspace: Workspace) -> None:
    model = ScriptedModel()
    await stage.diagnose(build_state(), with_model(workspace, model, box(), Depth.QUICK))
    assert model.asked == []


async def test_a_model_that_fails_leaves_what_there_is(workspace: Workspace) -> None:
    tools = with_model(workspace, ScriptedModel(ModelError("gone")), box())
    step = await stage.diagnose(build_state(), tools)
    assert (step.result.value, step.state.cases) == ("diagnosed", ())
    assert isinstance(tools.observer, RecordedObserver)
    assert tools.observer.notes == ["the model could not be asked for the boundary: gone"]


async def test_a_spent_budget_is_never_swallowed(workspace: Workspace) -> None:
    model = ScriptedModel(answer((program("VARIANT 1"),)))
    with pytest.raises(BudgetExhaustedError):
        await stage.diagnose(build_state(), with_model(workspace, model, box(), calls=1))
