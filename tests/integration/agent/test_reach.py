"""A suite that enters the code in question is told from one that does not, by its real runner."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from agent.config import BudgetLimits, RunConfig
from agent.domain.project import BuildConfig
from agent.sandbox.config import SandboxConfig
from agent.sandbox.select import open_sandbox
from agent.toolchains.registry import detect, toolchains
from agent.workflow.budget import Budget
from agent.workflow.reach import suite_reaches
from agent.workflow.state import RunState, Tools
from agent.workspace import open_workspace
from bot.compose import SystemClock
from tests.fakes.workflow import FakeRanker, RecordedObserver, RecordedTrajectory, build_report
from tests.projects import write_project

if TYPE_CHECKING:
    from pathlib import Path

    from agent.ports import Sandbox

pytestmark = pytest.mark.sandbox

NODE = {
    "package.json": '{"name": "x", "version": "1.0.0", "scripts": {"test": "node --test"}}',
    "index.js": "exports.used = () => 1;\n",
    "other.js": "exports.other = () => 2;\n",
}
ENTERS_JS = "require('node:test')('t', () => { require('../index.js').used(); });\n"
LOADS_JS = "require('../index.js');\nrequire('node:test')('t', () => { require('../other.js').other(); });\n"
PYTHON = {
    "setup.py": "from setuptools import setup\nsetup(name='x', version='1', py_modules=['used', 'other'])\n",
    "used.py": "def used():\n    return 1\n",
    "other.py": "def other():\n    return 2\n",
    "tests/__init__.py": "",
}
CASE = "import unittest\n{head}\nclass T(unittest.TestCase):\n    def test(self):\n        {body}\n"
ENTERS_PY = CASE.format(head="import used", body="used.used()")
LOADS_PY = CASE.format(head="import used, other", body="other.other()")


@pytest.fixture(scope="module")
def sandbox(reachable: Path) -> Sandbox:
    return open_sandbox(SandboxConfig(cache=reachable, environment=os.environ))


@pytest.mark.parametrize(
    ("files", "changed", "expected"),
    [
        (NODE | {"test/a.test.js": ENTERS_JS}, "index.js", True),
        (NODE | {"test/a.test.js": LOADS_JS}, "index.js", False),
        (
            NODE | {"package.json": '{"name": "x", "version": "1.0.0", "scripts": {"test": "true"}}'},
            "index.js",
            False,
        ),
        (PYTHON | {"tests/test_a.py": ENTERS_PY}, "used.py", True),
        (PYTHON | {"tests/test_a.py": LOADS_PY}, "used.py", False),
    ],
    ids=["node enters", "node loads only", "npm test is true", "python enters", "python loads only"],
)
async def test_reach(
    sandbox: Sandbox, reachable: Path, tmp_path: Path, files: dict[str, str], changed: str, expected: bool
) -> None:
    build = BuildConfig(test="python -m unittest" if "setup.py" in files else "")
    toolchain, plan = detect(write_project(tmp_path / "x", files), build, toolchains(reachable / "cache"))
    with open_workspace(tmp_path / "x", parent=tmp_path) as workspace:
        environment = await toolchain.install(plan, workspace.tree, sandbox)
        tools = Tools(
            workspace=workspace,
            sandbox=sandbox,
            toolchains=[toolchain],
            ranker=FakeRanker(),
            proof_sources=[],
            candidate_sources=[],
            trajectory=RecordedTrajectory(),
            observer=RecordedObserver(),
            budget=Budget(limits=BudgetLimits(), clock=SystemClock()),
            config=RunConfig(),
        )
        state = RunState(report=build_report(), toolchain=toolchain, covered=frozenset({changed}))
        reached = await suite_reaches([changed], workspace.tree, environment, state, tools)
    assert reached is expected
