"""CI files give their run lines, with the matrix cell that is most like this machine."""

from __future__ import annotations

import pytest

from agent.toolchains.workflows import Script, scripts, travis


def texts(workflow: str, version: str = "3.11", **actions: str) -> list[str]:
    return [script.text for script in scripts(workflow, actions, version=version)]


def test_jobs_that_sound_like_tests_come_first() -> None:
    workflow = """
jobs:
  lint: {steps: [{run: flake8}]}
  unit: {steps: [{uses: actions/checkout@v4}, {run: pytest, working-directory: sub}, text]}
"""
    assert scripts(workflow, {}, version="3.11") == (
        Script(job="unit", text="pytest", folder="sub"),
        Script(job="lint", text="flake8"),
    )


def test_the_cell_is_linux_with_our_version() -> None:
    workflow = """
jobs:
  t:
    strategy: {matrix: {os: [windows-latest, ubuntu-latest], python: ["3.10", "3.11", "3.12"]}}
    steps: [{run: "tox -e ${{ matrix.os }}-${{ matrix.python }} ${{ secrets.X }}"}]
"""
    assert texts(workflow) == ["tox -e ubuntu-latest-3.11 "]


def test_included_cells_stand_alone_or_add_to_an_axis() -> None:
    alone = """
jobs:
  t:
    strategy: {matrix: {include: [{tox: py310, os: ubuntu}, {tox: py311, os: ubuntu}, {tox: lint, os: ubuntu}]}}
    steps: [{run: "tox -e ${{ matrix.tox }}"}]
"""
    added = """
jobs:
  t:
    strategy: {matrix: {name: [ubuntu-a, ubuntu-b], include: [{name: ubuntu-b, env: py311}, {env: other}, text]}}
    steps: [{run: "tox -e ${{ matrix.env }}"}]
"""
    assert texts(alone) == ["tox -e py311"]
    assert texts(added) == ["tox -e py311"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("matrix.config[1]", "py311"),
        ("matrix.config[9]", ""),
        ("matrix.config.name", ""),
        ("matrix['os']['name']", "ubuntu"),
        ("matrix.os.gone", ""),
    ],
)
def test_expressions_reach_into_lists_and_tables(expression: str, expected: str) -> None:
    workflow = f"""
jobs:
  t:
    strategy: {{matrix: {{os: [{{name: ubuntu}}], config: [["3.11", "py311"]]}}}}
    steps: [{{run: "x ${{{{ {expression} }}}}"}}]
"""
    assert texts(workflow) == [f"x {expected}"]


def test_local_actions_give_their_lines() -> None:
    workflow = "jobs: {t: {steps: [{uses: ./.github/actions/setup}, {uses: ./.github/actions/none}]}}"
    actions = {".github/actions/setup": "runs: {steps: [{run: uv sync}, {uses: x}, text]}"}

    assert texts(workflow, "3.11", **actions) == ["uv sync"]


@pytest.mark.parametrize(
    "text", ["jobs: 1", "a: [", "- a", "jobs: {a: 1}", "jobs: {a: {steps: x, strategy: 1}}", ""]
)
def test_what_is_no_workflow_gives_nothing(text: str) -> None:
    assert scripts(text, {}, version="3.11") == ()


def test_travis_gives_its_install_and_script_lines() -> None:
    assert travis("install: pip install -r x.txt\nscript: [tox, pytest]") == (
        Script(job="script", text="pip install -r x.txt"),
        Script(job="script", text="tox"),
        Script(job="script", text="pytest"),
    )
