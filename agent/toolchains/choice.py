"""Which command tests the project: configuration, then CI, then tox and the like, then convention. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.toolchains.recipes import Body, Step, expand
from agent.toolchains.shell import parse
from agent.toolchains.workflows import scripts, travis

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agent.toolchains.recipes import Expander
    from agent.toolchains.snapshot import Snapshot

WORKFLOW = re.compile(r"^\.github/workflows/[^/]+\.ya?ml$")
TEST_WORKFLOW = re.compile(r"test|\bci\b|main|build|python|node|integration|check", re.IGNORECASE)
SIDE_WORKFLOW = re.compile(r"docs?\b|lint|publish|release|codeql|deploy|nightly|bench", re.IGNORECASE)
CONFIGURED = "suture.yml"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestChoice:
    """The step that runs the tests, every step of the same script, and the way it was found."""

    __test__ = False

    step: Step
    steps: tuple[Step, ...]
    origin: str


def choose(
    groups: Iterable[Sequence[Body]],
    snapshot: Snapshot,
    expanders: Sequence[Expander],
    runners: frozenset[str],
) -> TestChoice | None:
    """Return the first step that starts one of ``runners``; each group of scripts is looked at as a whole."""
    for group in groups:
        steps = tuple(step for body in group for step in expand(body, snapshot, expanders))
        chosen = next((step for step in steps if step.runner in runners), None)
        if chosen is not None:
            return TestChoice(step=chosen, steps=steps, origin=_way(group[0].origin, chosen.origin))
    return None


def as_configured(line: str) -> TestChoice:
    """Return a configured line that starts no runner we know: it is believed, and read by its exit code."""
    step = Step(command=parse(line), folder="", origin=CONFIGURED, runner="command")
    return TestChoice(step=step, steps=(step,), origin=CONFIGURED)


def _way(first: str, last: str) -> str:
    return first if first == last else f"{first} > {last}"


def continuous_integration(snapshot: Snapshot, *, version: str) -> Iterator[tuple[Body, ...]]:
    """Return the scripts of each job of the CI files, the most likely test job first."""
    actions = {
        path.rpartition("/")[0]: text
        for path, text in snapshot.texts.items()
        if path.endswith(("/action.yml", "/action.yaml"))
    }
    for path in sorted((path for path in snapshot.texts if WORKFLOW.match(path)), key=_workflow_rank):
        jobs: dict[str, list[Body]] = {}
        for script in scripts(snapshot.text(path), actions, version=version):
            jobs.setdefault(script.job, []).append(Body(text=script.text, origin=path, folder=script.folder))
        yield from (tuple(bodies) for bodies in jobs.values())
    bodies = tuple(Body(text=one.text, origin=".travis.yml") for one in travis(snapshot.text(".travis.yml")))
    if bodies:
        yield bodies


def _workflow_rank(path: str) -> tuple[bool, bool, str]:
    name = path.rpartition("/")[2]
    return (bool(SIDE_WORKFLOW.search(name)), not TEST_WORKFLOW.search(name), path)
