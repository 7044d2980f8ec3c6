"""The test command is taken from where it is most believed."""

from __future__ import annotations

from agent.toolchains.choice import as_configured, choose, continuous_integration
from agent.toolchains.recipes import Body
from tests.unit.agent.toolchains.snapshots import build_snapshot


def test_test_workflows_are_read_before_others_and_travis_last() -> None:
    job = "jobs: {a: {steps: [{run: x}]}, b: {steps: [{run: y}, {run: z}]}}"
    snapshot = build_snapshot({
        ".github/workflows/docs.yml": job, ".github/workflows/tests.yaml": job, ".github/workflows/zoo.yml": job,
        ".travis.yml": "script: t",
    })  # fmt: skip

    found = list(continuous_integration(snapshot, version="3"))

    assert [(bodies[0].origin, [body.text for body in bodies]) for bodies in found] == [
        (f".github/workflows/{name}", texts)
        for name in ("tests.yaml", "zoo.yml", "docs.yml")
        for texts in (["x"], ["y", "z"])
    ] + [(".travis.yml", ["t"])]


def test_local_actions_of_the_tree_are_followed() -> None:
    snapshot = build_snapshot({
        ".github/workflows/ci.yml": "jobs: {a: {steps: [{uses: ./.github/actions/x}]}}",
        ".github/actions/x/action.yml": "runs: {steps: [{run: inner}]}",
    })  # fmt: skip

    assert [body.text for bodies in continuous_integration(snapshot, version="3") for body in bodies] == [
        "inner"
    ]


def test_the_first_group_with_a_runner_wins_with_all_its_steps() -> None:
    groups = [
        (Body(text="make lint", origin="a"),),
        (Body(text="pip install x", origin="b"), Body(text="pytest", origin="c")),
    ]

    found = choose(groups, build_snapshot(), (), frozenset({"pytest"}))

    assert found is not None
    assert (found.step.line, found.origin, len(found.steps)) == ("pytest", "b > c", 2)
    assert choose(groups, build_snapshot(), (), frozenset({"mocha"})) is None


def test_a_configured_line_of_no_known_runner_is_believed() -> None:
    found = as_configured("./run-tests --fast")

    assert (found.step.line, found.step.runner, found.origin) == (
        "./run-tests --fast",
        "command",
        "suture.yml",
    )
