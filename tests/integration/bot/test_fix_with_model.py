"""``suture fix`` with a model: a scripted endpoint answers, everything else is real."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from agent.config import BudgetLimits, ModelChoice, RunConfig
from agent.domain.matrix import RowKind
from agent.domain.patch import Origin
from agent.domain.run import Depth, Outcome
from agent.reports import read_report
from bot.compose import open_workshop
from bot.progress import SilentProgress
from bot.repair import Repair, repair
from bot.settings import load_settings
from tests.fakes.endpoint import build_answer, build_error, serving
from tests.projects import PYTHON, PYTHON_REPORT, write_project

if TYPE_CHECKING:
    from pathlib import Path

    from aiohttp import web

    from bot.repair import Repaired
    from tests.fakes.endpoint import Answer

pytestmark = pytest.mark.sandbox

SHELF = '''"""Keeps documents below one folder."""

from pathlib import Path


def read(folder, name):
    """Return the text of a document."""
    return Path(folder, name).read_text()
'''
STEP = {
    "path": "shelf/__init__.py",
    "line": 6,
    "symbol": "read",
    "change": "Refuse names that leave the folder.",
}
PLAN = {
    "root_cause": "read follows names out of its folder.",
    "follows": "none",
    "refusal": "ValueError",
    "alternative": "strip dots: hides mistakes",
    "minimal": [STEP],
    "standard": [STEP],
}
GUARD = """    path = Path(folder, name).resolve()
    if not path.is_relative_to(Path(folder).resolve()):
        raise ValueError("a document lies outside of its folder")
    return path.read_text()"""
HIDES = """    if "secret" in str(name):
        raise ValueError("no secrets")
    return Path(folder, name).read_text()"""


def block(replacement: str) -> str:
    search = "    return Path(folder, name).read_text()"
    return f"shelf/__init__.py\n<<<<<<< SEARCH\n{search}\n=======\n{replacement}\n>>>>>>> REPLACE"


def scripted(edit: str) -> Answer:
    """Answer each kind of question, with one edit to every plan."""

    def answer(asked: dict[str, Any]) -> web.Response:
        text = str(asked["messages"][0]["content"])
        if text.startswith("Carry out this plan"):
            return build_answer(block(edit))
        if "You plan the fix" in text:
            return build_answer(json.dumps(PLAN))
        if "failed a check" in text:
            return build_answer(json.dumps({"why": "it goes around", "steps": [STEP]}))
        place = {"path": "shelf/__init__.py", "symbol": "read", "reason": "it opens the file"}
        return build_answer(json.dumps({"places": [place]}))

    return answer


async def fixed_with(
    answer: Answer, tmp_path: Path, reachable: Path, monkeypatch: pytest.MonkeyPatch, **limits: Any
) -> Repaired:
    project = write_project(tmp_path / "shelf", {**PYTHON, "shelf/__init__.py": SHELF})
    monkeypatch.setenv("SUTURE_DATA_DIR", str(reachable))
    async with serving(answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-scripted-0123456789abcdef")
        config = RunConfig(
            depth=Depth.QUICK,
            budget=BudgetLimits(**limits),
            models=ModelChoice(author="scripted"),
            refine_rounds=1,
        )
        job = Repair(project=project, report=read_report(PYTHON_REPORT), out=tmp_path / "out", config=config)
        return await repair(job, open_workshop(load_settings()), SilentProgress())


async def test_a_models_patch_is_held_against_the_matrix_and_paid_for(
    tmp_path: Path, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await fixed_with(scripted(GUARD), tmp_path, reachable, monkeypatch)
    assert done.result.outcome is Outcome.FIXED, done.result.reason
    candidate = done.result.candidate
    assert candidate is not None
    assert (candidate.origin, candidate.model) == (Origin.MODEL, "scripted")
    assert done.result.cost.calls >= 3
    trajectory = (tmp_path / "out" / "trajectory.jsonl").read_text()
    calls = [event for line in trajectory.splitlines() if (event := json.loads(line))["event"] == "model"]
    assert {call["prompt"] for call in calls} >= {"plan_patch", "edit_patch"}
    assert "sk-scripted" not in trajectory


async def test_a_models_patch_that_hides_the_symptom_is_refused(
    tmp_path: Path, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers the proof, and breaks what is ordinary or leaves another form of the attack."""
    done = await fixed_with(scripted(HIDES), tmp_path, reachable, monkeypatch)
    assert done.result.outcome is Outcome.NO_PATCH
    assert done.result.candidate is None
    assert done.result.matrix is not None
    assert {row.kind for row in done.result.matrix.failing} & {RowKind.VARIANT, RowKind.BENIGN}


async def test_a_spent_budget_keeps_what_was_found(
    tmp_path: Path, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await fixed_with(scripted(GUARD), tmp_path, reachable, monkeypatch, calls=1)
    assert done.result.outcome is Outcome.BUDGET_EXHAUSTED
    assert done.result.proof is not None


async def test_an_endpoint_that_refuses_the_key_leaves_an_honest_outcome(
    tmp_path: Path, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await fixed_with(build_error(401, "bad key"), tmp_path, reachable, monkeypatch)
    assert done.result.outcome is Outcome.NO_PATCH
