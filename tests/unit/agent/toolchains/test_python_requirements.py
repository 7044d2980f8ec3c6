"""What tests need is taken from the commands that install it, and by convention where there are none."""

from __future__ import annotations

import pytest

from agent.toolchains.python_manifests import PythonFacts, facts
from agent.toolchains.python_requirements import (
    Wanted,
    by_convention,
    from_steps,
    known_test_packages,
    of_manifests,
)
from agent.toolchains.recipes import Body, expand
from tests.unit.agent.toolchains.snapshots import build_snapshot

PROJECT = """
[project]
name = "p"
[project.optional-dependencies]
test = []
docs = []
[dependency-groups]
dev = []
lint = []
"""
SNAPSHOT = build_snapshot({"pyproject.toml": PROJECT, "r.txt": "", "c.txt": ""})


def wanted(text: str) -> Wanted:
    return from_steps(expand(Body(text=text, origin="x"), SNAPSHOT, ()), facts(SNAPSHOT), SNAPSHOT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pip install -e '.[test, docs]' -U", Wanted(extras=("test", "docs"))),
        ("python -m pip install .", Wanted()),
        ("pip install --editable ./[test]", Wanted(extras=("test",))),
        (
            "uv pip install -r r.txt -c ./c.txt --group dev",
            Wanted(arguments=("-r r.txt", "-c c.txt"), groups=("dev",)),
        ),
        ("pip install -rr.txt --requirement=r.txt -r gone.txt", Wanted(arguments=("-r r.txt",))),
        (
            "pip install 'pytest<8' mock tox pip 'thing[x]>=1' ../other $X",
            Wanted(arguments=("'pytest<8'", "mock", "'thing[x]>=1'")),
        ),
        ("pip install -r", Wanted()),
        ("uv sync --extra test --group lint", Wanted(extras=("test",), groups=("lint",))),
        ("uv sync --all-extras --all-groups", Wanted(extras=("docs", "test"), groups=("dev", "lint"))),
        ("poetry install --with dev,lint -E test", Wanted(extras=("test",), groups=("dev", "lint"))),
        ("pdm install -G dev", Wanted(groups=("dev",))),
        ("pip download x\npytest", Wanted()),
    ],
)
def test_what_install_commands_ask_for(text: str, expected: Wanted) -> None:
    assert wanted(text) == expected


def test_without_manifest_everything_of_a_manager_means_nothing() -> None:
    steps = expand(Body(text="uv sync --all-extras", origin="x"), SNAPSHOT, ())

    assert from_steps(steps, PythonFacts(), SNAPSHOT) == Wanted()
    assert not Wanted()


def test_convention_takes_what_is_named_for_tests() -> None:
    snapshot = build_snapshot(
        {
            "pyproject.toml": PROJECT,
            "requirements.txt": "",
            "requirements-test.txt": "",
            "requirements/docs.txt": "",
        }
    )

    assert by_convention(facts(snapshot), snapshot) == Wanted(
        arguments=("-r requirements.txt", "-r requirements-test.txt"), extras=("test",), groups=("dev",)
    )
    assert by_convention(PythonFacts(), build_snapshot()) == Wanted()


def test_tables_of_other_managers_are_asked_for() -> None:
    snapshot = build_snapshot({"Pipfile": "[packages]\na = '*'\n[dev-packages]\nb = '<2'"})

    assert of_manifests(facts(snapshot)) == Wanted(arguments=("a", "'b<2'"))
    assert of_manifests(PythonFacts()) == Wanted()


def test_only_well_known_test_packages_are_added() -> None:
    source = """
import hypothesis, evil_name
from freezegun import freeze_time
async def test_a(mocker, evil_fixture):
def test_b():
"""
    snapshot = build_snapshot({"tests/test_a.py": source, "setup.py": "import mock"})

    assert known_test_packages(snapshot, ["asyncio_mode", "other"]) == (
        "freezegun", "hypothesis", "pytest-asyncio", "pytest-mock",
    )  # fmt: skip
