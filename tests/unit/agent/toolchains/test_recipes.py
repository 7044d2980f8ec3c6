# ruff: noqa: E501 (a manifest or a row of a table reads better on one line)
"""Commands are followed through Makefiles, scripts, npm scripts, tox, nox and hatch to what really runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.toolchains import recipes
from agent.toolchains.recipes import Body, expand
from agent.toolchains.recipes_javascript import manifest, package_script, scripts_of
from agent.toolchains.recipes_python import hatch, nox, nox_sessions
from agent.toolchains.recipes_tox import tox
from tests.unit.agent.toolchains.snapshots import build_snapshot

if TYPE_CHECKING:
    from agent.toolchains.snapshot import Snapshot

ALL = (recipes.make, recipes.script_file, package_script, tox, nox, hatch)


def run_lines(text: str, snapshot: Snapshot, folder: str = "") -> list[str]:
    return [step.line for step in expand(Body(text=text, origin="x", folder=folder), snapshot, ALL)]


def test_a_step_tells_its_folder_origin_and_runner() -> None:
    (step,) = expand(Body(text="cd sub && cd .. && cd a/b\npytest", origin="ci.yml"), build_snapshot(), ALL)

    assert (step.line, step.folder, step.origin, step.runner) == (
        "cd a/b && pytest",
        "a/b",
        "ci.yml",
        "pytest",
    )


@pytest.mark.parametrize("target", ["..", "/", "$HOME", "~", "."])
def test_a_folder_outside_the_tree_is_taken_for_its_root(target: str) -> None:
    assert run_lines(f"cd {target}; pytest", build_snapshot()) == ["pytest"]


def test_make_runs_prerequisites_then_the_recipe_with_variables_filled_in() -> None:
    makefile = """
PYTHON ?= python3
ARGS = -q
.PHONY: test
dep:
\t@echo dep $$HOME
test: dep  # first that
\t-$(PYTHON) -m pytest ${ARGS} $(GONE) \\
\t  tests
\t$(MAKE) more
more: more
\tnose2
test: also
also:
\techo also
"""
    snapshot = build_snapshot({"Makefile": makefile})

    assert run_lines("make test", snapshot) == [
        "echo dep $HOME",
        "echo also",
        "python -m pytest -q  tests".replace("  ", " "),
        "nose2",
    ]


def test_make_without_a_makefile_or_target_comes_to_nothing() -> None:
    assert run_lines("make test; make -j V=1", build_snapshot()) == []


def test_a_script_file_is_read_with_its_arguments_and_without_local_prefixes() -> None:
    script = """#!/bin/sh -e
export PREFIX=""
if [ -d venv ]; then
  export PREFIX="venv/bin/"
fi
FILES="a b"
${PREFIX}coverage run -m pytest $FILES "$@" $UNKNOWN
"""
    snapshot = build_snapshot(
        {"scripts/test": script, "run.sh": "sh scripts/test -q", "scripts/data": "pytest"}
    )

    assert run_lines("bash -e run.sh", snapshot)[-1] == "python -m pytest a b -q $UNKNOWN"
    assert run_lines("scripts/data; bash; ./none.sh", snapshot) == ["scripts/data", "bash", "./none.sh"]


def test_npm_scripts_run_their_pre_script_and_take_arguments() -> None:
    scripts = '{"scripts": {"pretest": "tsc", "test": "mocha", "all": "run-s lint test:*", "lint": "eslint .", "test:a": "ava", "two": "a && b"}}'
    snapshot = build_snapshot({"package.json": scripts, "sub/package.json": '{"scripts": {"test": "tap"}}'})

    assert run_lines("npm test -- --grep x", snapshot) == ["tsc", "mocha --grep x"]
    assert run_lines("yarn --silent all", snapshot) == ["eslint .", "ava"]
    assert run_lines("npm run -s two -- z", snapshot) == ["a", "b"]
    assert run_lines("pnpm t", snapshot, "sub") == ["cd sub && tap"]
    assert run_lines("npm ci; npm run gone; npm", snapshot) == ["npm ci", "npm run gone", "npm"]


def test_a_script_that_calls_itself_ends() -> None:
    snapshot = build_snapshot({"package.json": '{"scripts": {"test": "npm test"}}'})

    assert run_lines("npm test", snapshot) == ["npm test"]


def test_a_flood_of_commands_is_cut() -> None:
    assert len(run_lines("a\n" * 1000, build_snapshot())) == recipes.MAX_STEPS


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"scripts": 1}'])
def test_what_is_no_manifest_has_no_scripts(text: str) -> None:
    snapshot = build_snapshot({"package.json": text})

    assert scripts_of(snapshot) == {}
    assert text == '{"scripts": 1}' or manifest(snapshot) == {}


TOX = """
[tox]
envlist = py311, lint
[base]
deps = six
[testenv]
deps =
    -rrequirements/tests.txt
    {[base]deps}
    mock<2
    extra: thing
    py27: old
    !lint: never
    # remark
extras = test
    more
commands_pre = python -V
commands =
    {envpython} -m pytest {posargs:tests} --basetemp={envtmpdir} \\
        -q
    - flake8 {toxinidir}/src
[testenv:lint]
commands = flake8
[testenv:py39-extra]
deps = six
"""
TOX_LINES = [
    "pip install -r requirements/tests.txt",
    "pip install 'six'",
    "pip install 'mock<2'",
    "pip install 'thing'",
    "pip install .[test,more]",
    "python -V",
    "python -m pytest tests --basetemp=/tmp/tox -q",
    "flake8 src",
]


def test_tox_installs_and_runs_its_test_environment() -> None:
    snapshot = build_snapshot({"tox.ini": TOX})

    assert run_lines("tox", snapshot) == TOX_LINES
    assert run_lines("python -m tox -e py311", snapshot) == [
        line for line in TOX_LINES if "thing" not in line
    ]
    assert run_lines("tox -e py39-extra", snapshot)[0] == "pip install 'six'"
    assert run_lines("tox -e py27-cov-report", snapshot)[3] == "pip install 'old'"
    assert run_lines("tox -e lint", snapshot) == []


def test_tox_reads_pyproject_in_both_forms() -> None:
    legacy = build_snapshot(
        {"pyproject.toml": "[tool.tox]\nlegacy_tox_ini = '''\n[testenv]\ncommands = pytest\n'''"}
    )
    native = build_snapshot({"pyproject.toml": """
[tool.tox.env_run_base]
deps = ["mock"]
extras = ["test"]
dependency_groups = ["dev"]
commands = [["pytest", {replace = "posargs", default = ["tests"]}, {replace = "ref"}], "nose2"]
[tool.tox.env.lint]
commands = [["flake8"]]
"""})  # fmt: skip

    assert run_lines("tox", legacy) == ["pytest"]
    assert run_lines("tox", native) == [
        "pip install 'mock'", "pip install .[test]", "pip install --group dev", "pytest tests", "nose2",
    ]  # fmt: skip
    assert run_lines("tox", build_snapshot({"tox.ini": "[broken"})) == []


NOX = """
import nox
@nox.session(python=["3.9"])
def tests(session):
    session.install(".[dev]", "pytest<8", *extra, variable)
    args = session.posargs or ["x"]
    session.run("python", "-m", "pytest", *args)
    session.log("x")
    helper()
@nox.session
def lint(session):
    session.run("flake8")
def helper(): pass
"""


def test_nox_sessions_are_parsed_not_run() -> None:
    snapshot = build_snapshot({"noxfile.py": NOX})

    assert run_lines("nox -s tests-3.9 -- -x tests/", snapshot) == [
        "pip install '.[dev]' 'pytest<8' -x tests/",
        "python -m pytest -x tests/",
    ]
    assert run_lines("python -m nox", snapshot)[-1] == "python -m pytest"
    assert run_lines("nox -s gone", snapshot) == []
    assert nox_sessions("def broken(") == {}


HATCH = """
[tool.hatch.envs.default]
dependencies = ["pytest"]
[tool.hatch.envs.default.scripts]
test = "pytest {args:tests}"
cov = ["test -q", "- report"]
loop = "loop"
[tool.hatch.envs.unit]
features = ["all"]
extra-dependencies = ["mock"]
scripts.go = "pytest unit"
"""


def test_hatch_environments() -> None:
    snapshot = build_snapshot({"pyproject.toml": HATCH})

    assert run_lines("hatch run cov", snapshot) == ["pip install 'pytest'", "pytest tests -q", "report"]
    assert run_lines("hatch -v run x; hatch run gone", snapshot) == ["hatch -v run x", "hatch run gone"]
    assert run_lines("hatch run unit:go", snapshot) == [
        "pip install 'pytest'", "pip install 'mock'", "pip install .[all]", "pytest unit",
    ]  # fmt: skip
    assert run_lines("hatch run loop", snapshot) == ["pip install 'pytest'", "loop"]
    assert run_lines("hatch test", snapshot) == ["pytest"]
