"""With a model, localization ends in places that exist; without one, or with one that fails, in ranked files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from agent.config import BudgetLimits, RunConfig
from agent.domain.conversation import ModelRole
from agent.domain.place import Place
from agent.domain.run import Depth
from agent.errors import ModelError
from agent.llm.desk import ModelDesk
from agent.localizing import relocalize, relocalizing
from agent.workflow.budget import Budget, BudgetExhaustedError
from agent.workflow.stages.localize import localize
from agent.workflow.state import RunState
from agent.workspace import open_workspace
from tests.fakes.models import ScriptedModel, call, say
from tests.fakes.workflow import (
    FakeRanker,
    RecordedObserver,
    RecordedTrajectory,
    SteppingClock,
    build_proof,
    build_report,
)
from tests.unit.agent.workflow.runs import build_tools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agent.domain.conversation import Turn
    from agent.workflow.state import Tools
    from agent.workspace import Workspace

FILES = {
    "app.py": "@route\ndef load(name):\n    return open(name)\n\n\ndef other():\n    return load(1)\n",
    "sinks.py": "def read(name):\n    return name\n",
    "deep/twin.py": "def load(name):\n    return name\n",
    "deep/user.py": "import app\n\n\ndef use():\n    return app.load(2)\n",
    "deep/third.py": "import app\n\n\ndef third():\n    return app.load(3)\n",
    "tests/test_app.py": "def test_load():\n    load()\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    for path, text in FILES.items():
        (tmp_path / "project" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / path).write_text(text)
    with open_workspace(tmp_path / "project", parent=tmp_path) as opened:
        yield opened


def places(*named: tuple[str, str]) -> Turn:
    return say({"places": [{"path": path, "symbol": symbol, "reason": "r"} for path, symbol in named]})


LOAD, OTHER, READ = ("app.py", "load"), ("app.py", "other"), ("sinks.py", "read")


def with_model(
    workspace: Workspace, model: ScriptedModel, depth: Depth = Depth.STANDARD, calls: int | None = None
) -> Tools:
    budget = Budget(limits=BudgetLimits(minutes=None, calls=calls), clock=SteppingClock())
    trajectory = RecordedTrajectory()
    desk = ModelDesk(models={ModelRole.AUTHOR: [model]}, budget=budget, trajectory=trajectory)
    return build_tools(
        workspace,
        models=desk,
        budget=budget,
        trajectory=trajectory,
        ranker=FakeRanker(paths=("app.py", "gone.py", "deep/twin.py")),
        config=replace(RunConfig(), depth=depth),
    )


@pytest.mark.parametrize(
    ("depth", "script", "expected"),
    [
        (Depth.QUICK, [places(LOAD)], [("load", 1)]),
        (Depth.STANDARD, [places(LOAD), places(LOAD, OTHER)], [("load", 2), ("other", 1)]),
        (
            Depth.STANDARD,
            [places(LOAD), places(OTHER), places(OTHER), places(LOAD, OTHER)],
            [("other", 3), ("load", 2)],
        ),
        (Depth.THOROUGH, [places(LOAD)] * 4, [("load", 4)]),
    ],
    ids=["quick asks once", "two that agree are enough", "four when they differ", "thorough asks four times"],
)
async def test_samples_by_depth(
    workspace: Workspace, depth: Depth, script: list[Turn], expected: list[tuple[str, int]]
) -> None:
    model = ScriptedModel(*script)
    step = await localize(RunState(report=build_report()), with_model(workspace, model, depth))
    assert [(place.symbol, place.votes) for place in step.state.places] == expected
    assert len(model.asked) == len(script)
    assert "a fix belongs in" in step.summary


async def test_the_model_reads_with_four_tools_before_it_answers(workspace: Workspace) -> None:
    model = ScriptedModel(call("find_definition", name="load"), places(LOAD))
    await localize(RunState(report=build_report()), with_model(workspace, model, Depth.QUICK))
    assert model.offered[0] == ("search_string", "find_definition", "find_references", "read_file")
    assert "deep/twin.py:1-2 function load" in model.asked[1][-1].text


async def test_places_that_do_not_exist_or_may_not_be_patched_are_dropped(workspace: Workspace) -> None:
    model = ScriptedModel(
        places(
            ("gone.py", "x"),
            ("app.py", "gone"),
            ("../app.py", "load"),
            ("tests/test_app.py", "test_load"),
            READ,
        )
    )
    step = await localize(RunState(report=build_report()), with_model(workspace, model, Depth.QUICK))
    assert [place.path for place in step.state.places] == ["sinks.py"]
    assert [file.path for file in step.state.files] == ["sinks.py", "app.py", "deep/twin.py"]


async def test_the_proof_and_what_it_ran_are_shown(workspace: Workspace) -> None:
    state = RunState(
        report=build_report(),
        proof=build_proof(),
        covered=frozenset({"app.py"}),
        functions=frozenset({("app.py", 1)}),
    )
    model = ScriptedModel(places(LOAD))
    await localize(state, with_model(workspace, model, Depth.QUICK))
    asked = model.asked[0][0].text
    assert "2-3 load  [ran in the proof]" in asked
    assert "6-7 other\n" in asked
    assert "exploit()" in asked


@pytest.mark.parametrize(("script", "votes"), [([], []), ([places(LOAD)], [1])])
async def test_a_model_that_fails_leaves_what_there_is(
    workspace: Workspace, script: list[Turn], votes: list[int]
) -> None:
    tools = with_model(workspace, ScriptedModel(*script, ModelError("no such model")))
    step = await localize(RunState(report=build_report()), tools)
    assert step.result.value == "found"
    assert [place.votes for place in step.state.places] == votes
    assert isinstance(tools.observer, RecordedObserver)
    assert tools.observer.notes == ["the model could not narrow the files: no such model"]


async def test_a_spent_budget_is_never_swallowed(workspace: Workspace) -> None:
    tools = with_model(workspace, ScriptedModel(places(LOAD), places(LOAD)), calls=1)
    with pytest.raises(BudgetExhaustedError):
        await localize(RunState(report=build_report()), tools)


def at(path: str, symbol: str) -> Place:
    return Place(path=path, start_line=2, end_line=3, symbol=symbol)


async def test_looking_further_finds_twins_and_callers_in_two_new_files(workspace: Workspace) -> None:
    tools = build_tools(workspace)
    state = RunState(report=build_report(), places=(at("app.py", "load"),))
    found = await relocalize(state, tools, "no gain")
    assert [(one.path, one.symbol, one.reason) for one in found.places[1:]] == [
        ("deep/twin.py", "load", "has the same name as load"),
        ("app.py", "other", "uses load"),
        ("deep/third.py", "third", "uses load"),
    ]
    assert [one.path for one in found.files] == ["app.py", "deep/twin.py", "deep/third.py"]


async def test_looking_further_is_bounded(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most so many places, and of a name that is used everywhere only so many uses are looked at."""
    many = "".join(f"def user{number}():\n    load()\n\n\n" for number in range(20))
    (workspace.tree / "app.py").write_text(FILES["app.py"] + many + "load()\n")
    state = RunState(report=build_report(), places=(at("app.py", "load"),))
    assert len((await relocalize(state, build_tools(workspace), "no gain")).places) == 1 + 6
    monkeypatch.setattr(relocalizing, "_MOST_REFERENCES", 2)
    assert len((await relocalize(state, build_tools(workspace), "no gain")).places) == 1 + 3


async def test_looking_further_in_vain_changes_nothing(workspace: Workspace) -> None:
    tools = build_tools(workspace)
    state = RunState(report=build_report(), places=(at("sinks.py", "read"), at("sinks.py", "")))
    assert await relocalize(state, tools, "no gain") is state
    assert isinstance(tools.trajectory, RecordedTrajectory)
    assert tools.trajectory.events[-1][0] == "relocalized"
