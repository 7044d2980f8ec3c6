"""A model's patches: planned, written as blocks, refused with the reason, improved from what failed."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest
from jinja2 import meta

from agent.authoring import ModelCandidates
from agent.authoring.prompts import EditPatch, PlanOther, PlanPatch, PlanRefine
from agent.config import BudgetLimits, RunConfig
from agent.domain.conversation import ModelRole
from agent.domain.matrix import Matrix, Row, RowKind, RowStatus
from agent.domain.patch import Candidate, Declined, Origin
from agent.domain.run import Depth
from agent.errors import ModelError
from agent.llm.desk import ModelDesk
from agent.prompts.rendering import ENDING, ENVIRONMENT, FOLDER
from agent.workflow.budget import Budget, BudgetExhaustedError
from agent.workflow.state import Attempt, RunState
from agent.workspace import open_workspace
from retrieval.domain import RankedFile
from tests.fakes.models import ScriptedModel, call, say
from tests.fakes.workflow import RecordedObserver, RecordedTrajectory, SteppingClock, build_report
from tests.unit.agent.workflow.runs import build_tools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agent.workflow.state import Tools
    from agent.workspace import Workspace

CODE = b'"""Shelf."""\r\n\r\nimport os\r\n\r\n\r\ndef read(name):\r\n    return open(name).read()\r\n'
STEP = {"path": "shelf.py", "line": 6, "symbol": "read", "change": "Refuse names that climb."}
PLAN = {
    "root_cause": "read follows dots.",
    "follows": "none",
    "refusal": "ValueError",
    "alternative": "strip dots: hides mistakes",
    "entry_points": [{"place": "shelf.py:6 read", "decision": "change", "reason": "the only one"}],
    "minimal": [STEP],
    "standard": [STEP, {**STEP, "line": 1, "change": "Say so in the docstring."}],
}


def block(search: str, replacement: str, path: str = "shelf.py") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}\n=======\n{replacement}\n>>>>>>> REPLACE\n"


GUARD = '    if ".." in name:\n        raise ValueError(name)\n    return open(name).read()'
GOOD = block("    return open(name).read()", GUARD)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "project" / "tests").mkdir(parents=True)
    (tmp_path / "project" / "shelf.py").write_bytes(CODE)
    (tmp_path / "project" / "app.py").write_text("import shelf\n")
    (tmp_path / "project" / "tests" / "test_shelf.py").write_text("def test_read():\n    pass\n")
    with open_workspace(tmp_path / "project", parent=tmp_path) as opened:
        yield opened


def build_desk_tools(workspace: Workspace, model: ScriptedModel, **config: object) -> Tools:
    limits = BudgetLimits(calls=config.pop("calls", None))  # type: ignore[arg-type] # an int or None
    budget = Budget(limits=limits, clock=SteppingClock())
    trajectory = RecordedTrajectory()
    desk = ModelDesk(models={ModelRole.AUTHOR: (model,)}, budget=budget, trajectory=trajectory)
    return replace(
        build_tools(workspace),
        models=desk,
        budget=budget,
        trajectory=trajectory,
        observer=RecordedObserver(),
        config=RunConfig(**config),  # type: ignore[arg-type]
    )


def build_state(**changes: object) -> RunState:
    state = RunState(report=build_report(), files=(RankedFile(path="shelf.py", score=1.0),))
    return replace(state, **changes)  # type: ignore[arg-type]


async def ask(
    workspace: Workspace, model: ScriptedModel, state: RunState | None = None, **config: object
) -> tuple[Candidate | Declined, ...]:
    tools = build_desk_tools(workspace, model, **config)
    return await ModelCandidates().candidates(state or build_state(), tools)


async def test_two_plans_become_two_candidates_with_their_reasons(workspace: Workspace) -> None:
    """What a maintainer would merge comes first; line endings are the file's own."""
    doc = block('"""Shelf."""', '"""Shelf; names may not climb."""')
    model = ScriptedModel(call("search_string", text="open("), say(PLAN), say(GOOD + doc), say(GOOD))
    standard, minimal = await ask(workspace, model)
    assert isinstance(standard, Candidate)
    assert isinstance(minimal, Candidate)
    assert minimal.changes["shelf.py"] == CODE.replace(
        b"    return open", b'    if ".." in name:\r\n        raise ValueError(name)\r\n    return open'
    )
    assert b"may not climb" in (standard.changes["shelf.py"] or b"")
    assert (standard.origin, standard.source) == (Origin.MODEL, "model scripted, standard")
    assert standard.alternative == "strip dots: hides mistakes"
    assert standard.entry_points == ("shelf.py:6 read: change, the only one",)
    assert "search_string" in model.offered[0]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("I cannot.", "no SEARCH/REPLACE block"),
        (block("    return nothing", "x"), "shelf.py"),
        (block("    return open(name).read()", "    return open(name).read("), "does not parse"),
        (block("    return open(name).read()", "    return opened(name)"), "uses opened"),
        (block("import os", "import os\nimport requests"), "no new dependency"),
        (block("x", "y", path="tests/test_shelf.py"), "not in the plan"),
        (block("import os", "import os"), "change nothing"),
        ("shelf.py\n<<<<<<< SEARCH\nimport os\n=======\n", "not whole"),
    ],
)
async def test_an_edit_that_cannot_be_used_is_asked_for_again_with_the_reason(
    workspace: Workspace, answer: str, told: str
) -> None:
    model = ScriptedModel(say(PLAN), say(answer), say(GOOD), say(GOOD))
    first, _ = await ask(workspace, model)
    assert isinstance(first, Candidate)
    assert told in model.asked[2][0].text


async def test_an_edit_that_never_fits_is_declined(workspace: Workspace) -> None:
    model = ScriptedModel(say(PLAN), *[say("I cannot.")] * 6, say(GOOD))
    declined, candidate = await ask(workspace, model)
    assert isinstance(declined, Declined)
    assert (declined.path, "no SEARCH/REPLACE" in declined.reason) == ("shelf.py", True)
    assert isinstance(candidate, Candidate)


@pytest.mark.parametrize(
    "path", ["tests/test_shelf.py", ".github/workflows/ci.yml", "../x.py", "setup.py", "no.py"]
)
async def test_a_plan_may_not_touch_what_judges_or_steers(workspace: Workspace, path: str) -> None:
    """Nor what does not exist: such steps are dropped, and a plan without steps is none."""
    steps = [{**STEP, "path": path}]
    assert await ask(workspace, ScriptedModel(say({**PLAN, "minimal": steps, "standard": steps}))) == ()


async def test_the_best_attempt_is_improved_from_what_failed(workspace: Workspace) -> None:
    """The further edit sees the patched text, and the earlier change stays."""
    patched = CODE.replace(b"import os", b"import os  # patched")
    row = Row(
        kind=RowKind.VARIANT, name="another form", expected="safe", before="vulnerable", after="vulnerable",
        status=RowStatus.FAILED, detail="it still climbs",
    )  # fmt: skip
    best = Attempt(
        candidate=Candidate(origin=Origin.RULE, source="r", rationale="It.", changes={"shelf.py": patched}),
        diff="+patched", matrix=Matrix(rows=(row,)), reason="another form",
    )  # fmt: skip
    model = ScriptedModel(say({"why": "dots remain", "steps": [STEP]}), say(GOOD))
    (better,) = await ask(workspace, model, build_state(attempts=(best,), feedback="Shorter, please."))
    assert isinstance(better, Candidate)
    content = better.changes["shelf.py"] or b""
    assert (b"# patched" in content, b"raise ValueError" in content) == (True, True)
    assert "it still climbs" in model.asked[0][0].text
    assert "Shorter, please." in model.asked[0][0].text
    assert "# patched" in model.asked[1][0].text


async def test_without_a_model_there_are_no_candidates(workspace: Workspace) -> None:
    assert await ModelCandidates().candidates(build_state(), build_tools(workspace)) == ()


@pytest.mark.parametrize("model", [ScriptedModel(), ScriptedModel(*[say("no JSON")] * 3)])
async def test_a_model_that_fails_is_noted_and_others_go_on(
    workspace: Workspace, model: ScriptedModel
) -> None:
    tools = build_desk_tools(workspace, model)
    assert await ModelCandidates().candidates(build_state(), tools) == ()
    assert "the model wrote no patch" in tools.observer.notes[0]  # type: ignore[attr-defined]


async def test_a_spent_budget_ends_the_work(workspace: Workspace) -> None:
    with pytest.raises(BudgetExhaustedError):
        await ask(workspace, ScriptedModel(say(PLAN), say(GOOD)), calls=1)


async def test_thorough_carries_out_every_plan(workspace: Workspace) -> None:
    plan = {**PLAN, "general": [{**STEP, "change": "Close the class."}]}
    model = ScriptedModel(say(plan), say(GOOD), say(GOOD), say(GOOD))
    assert len(await ask(workspace, model, depth=Depth.THOROUGH)) == 3


async def test_a_model_that_is_down_in_the_middle_leaves_what_rules_have(workspace: Workspace) -> None:
    model = ScriptedModel(say(PLAN), ModelError("gone"))
    assert await ask(workspace, model) == ()


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("plan_patch", PlanPatch),
        ("plan_other", PlanOther),
        ("plan_refine", PlanRefine),
        ("edit_patch", EditPatch),
    ],
)
def test_a_template_reads_exactly_its_fields(name: str, inputs: type) -> None:
    source = (FOLDER / (name + ENDING)).read_text("utf-8")
    used = meta.find_undeclared_variables(ENVIRONMENT.parse(source))
    assert used == {field.name for field in fields(inputs)}
