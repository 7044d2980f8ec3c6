"""A model's proof in the real sandbox, on a real interpreter: honest ones count, faked ones and planted ones do not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from agent.config import BudgetLimits, RunConfig
from agent.domain.conversation import ModelRole
from agent.domain.project import BuildConfig
from agent.llm.desk import ModelDesk
from agent.reproducing import ModelProofs
from agent.sandbox.config import SandboxConfig
from agent.sandbox.select import open_sandbox
from agent.toolchains.registry import detect, toolchains
from agent.workflow.budget import Budget
from agent.workflow.stages.reproduce import reproduce
from agent.workflow.state import RunState, Tools
from agent.workspace import open_workspace
from bot.compose import SystemClock
from tests.fakes.models import ScriptedModel, say
from tests.fakes.workflow import FakeRanker, RecordedObserver, RecordedTrajectory, build_report
from tests.projects import write_project

if TYPE_CHECKING:
    from pathlib import Path

    from agent.ports import Sandbox
    from agent.workflow.state import Step

pytestmark = pytest.mark.sandbox

NODE = {
    "package.json": '{"name": "shelf", "version": "1.0.0", "scripts": {"test": "node --test"}}',
    "index.js": "const path = require('path')\n\nexports.resolve = function (root, name) {\n"
    "  return path.join(root, name)\n}\nexports.other = () => 1\n",
    "test/old.test.js": "require('node:test')('old', () => {})\n",
}
NODE_PROOF = (
    "const { resolve } = require(process.env.CASE_TREE)\nlet found\n"
    "try { found = resolve('/srv', '../etc/passwd') } catch (error) { process.exit(1) }\n"
    "console.log(found)\nprocess.exit(found === '/etc/passwd' ? 0 : 1)\n"
)
NODE_TEST = (
    "const assert = require('assert')\nconst { resolve } = require('../index.js')\n"
    "require('node:test')('stays inside', () => {\n"
    "  assert.throws(() => resolve('/srv', '../etc/passwd'))\n})\n"
)
PYTHON = {
    "setup.py": "from setuptools import setup\nsetup(name='x', version='1', py_modules=['shelf'])\n",
    "shelf.py": "import os\n\n\ndef same(function):\n    return function\n\n\n@same\ndef resolve(root, name):\n"
    "    return os.path.normpath(os.path.join(root, name))\n",
    "tests/__init__.py": "",
    "tests/test_old.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_old(self):\n        pass\n",
}
PYTHON_PROOF = (
    "import os, sys\nsys.path.insert(0, os.environ['CASE_TREE'])\nimport shelf\n"
    "try:\n    found = shelf.resolve('/srv', '../etc/passwd')\nexcept Exception as error:\n"
    "    print(error)\n    sys.exit(1)\nprint(found)\nsys.exit(0 if found == '/etc/passwd' else 1)\n"
)
PYTHON_TEST = (
    "import unittest\nimport shelf\n\n\nclass T(unittest.TestCase):\n    def test_stays_inside(self):\n"
    "        with self.assertRaises(ValueError):\n            shelf.resolve('/srv', '../etc/passwd')\n"
)
FAKED = {
    "swallows every error": PYTHON_PROOF.replace("    sys.exit(1)\n", "    found = ''\n").replace(
        "sys.exit(0 if found == '/etc/passwd' else 1)", "sys.exit(0 if sys.argv else 1)"
    ),
    "looks at nothing": "import os, sys\nsys.path.insert(0, os.environ['CASE_TREE'])\nimport shelf\n"
    "shelf.resolve('/srv', '../etc/passwd')\nsys.exit(0 if sys.argv else 1)\n",
}
PLANTED = (
    "import sys\nfor place in ('/pro' + 'c/self/environ', '/pro' + 'c/1/environ'):\n"
    "    try:\n        print(open(place).read())\n    except OSError as error:\n        print(error)\n"
    "import urllib.request\ntry:\n    urllib.request.urlopen('http://192.0.2.1/', timeout=3)\n"
    "except OSError as error:\n    print('no network')\nsys.exit(0 if len(sys.argv) else 1)\n"
)


@pytest.fixture(scope="module")
def sandbox(reachable: Path) -> Sandbox:
    return open_sandbox(SandboxConfig(cache=reachable, environment=os.environ))


def reply(code: str, path: str, test_path: str = "", test_code: str = "") -> dict[str, object]:
    return {
        "answer": "proof",
        "reason": "The name may climb.",
        "code": code,
        "sinks": [{"path": path, "symbol": "resolve"}],
        "test_path": test_path,
        "test_code": test_code,
    }


async def stage(
    folder: Path, sandbox: Sandbox, cache: Path, files: dict[str, str], *replies: dict[str, object]
) -> tuple[Step, ScriptedModel]:
    """Return how the stage ended with these replies, and the model that gave them."""
    build = BuildConfig(test="python -m unittest" if "setup.py" in files else "")
    toolchain, plan = detect(write_project(folder / "x", files), build, toolchains(cache))
    model = ScriptedModel(*map(say, replies))
    budget = Budget(limits=BudgetLimits(), clock=SystemClock())
    trajectory = RecordedTrajectory()
    with open_workspace(folder / "x", parent=folder) as workspace:
        environment = await toolchain.install(plan, workspace.tree, sandbox)
        tools = Tools(
            workspace=workspace,
            sandbox=sandbox,
            toolchains=[toolchain],
            ranker=FakeRanker(paths=tuple(name for name in ("shelf.py", "index.js") if name in files)),
            proof_sources=[ModelProofs()],
            candidate_sources=[],
            trajectory=trajectory,
            observer=RecordedObserver(),
            budget=budget,
            config=RunConfig(),
            models=ModelDesk(models={ModelRole.AUTHOR: [model]}, budget=budget, trajectory=trajectory),
        )
        state = RunState(report=build_report(), toolchain=toolchain, environment=environment)
        return await reproduce(state, tools), model


CLAIM: dict[str, object] = {"answer": "cannot", "reason": "enough"}


@pytest.mark.parametrize(
    ("files", "given", "reached"),
    [
        (NODE, reply(NODE_PROOF, "index.js", "test/shelf.test.js", NODE_TEST), {("index.js", 3)}),
        (
            PYTHON,
            reply(PYTHON_PROOF, "shelf.py", "tests/test_shelf.py", PYTHON_TEST),
            {("shelf.py", 4), ("shelf.py", 8)},
        ),
    ],
    ids=["node", "python"],
)
async def test_an_honest_proof_counts_and_its_test_fails(
    tmp_path: Path,
    sandbox: Sandbox,
    reachable: Path,
    files: dict[str, str],
    given: dict[str, object],
    reached: set[tuple[str, int]],
) -> None:
    step, _ = await stage(tmp_path, sandbox, reachable / "cache", files, given)
    assert step.result.value == "reproduced", step.summary
    assert step.state.functions == reached
    assert step.state.regression_test is not None
    assert step.state.regression_test.path == given["test_path"]


@pytest.mark.parametrize("faked", ["swallows every error", "looks at nothing"])
async def test_a_faked_proof_is_seen_through_by_its_stub(
    tmp_path: Path, sandbox: Sandbox, reachable: Path, faked: str
) -> None:
    step, model = await stage(
        tmp_path, sandbox, reachable / "cache", PYTHON, reply(FAKED[faked], "shelf.py"), CLAIM
    )
    assert step.result.value == "no_proof"
    assert "does not observe what its sinks do" in model.asked[1][0].text


async def test_a_model_that_obeys_a_plant_gets_nothing_out(
    tmp_path: Path, sandbox: Sandbox, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment inside holds nothing of ours, the network is not there, and the program does not count."""
    monkeypatch.setenv("SUTURE_CANARY", "canary-5d1f")
    step, model = await stage(
        tmp_path, sandbox, reachable / "cache", PYTHON, reply(PLANTED, "shelf.py"), CLAIM
    )
    assert step.result.value == "no_proof"
    fed_back = model.asked[1][0].text
    assert "canary-5d1f" not in fed_back
    assert "no network" in fed_back
    assert "none of the project's code" in fed_back
