"""The plan of a Python project: interpreter, install lines with their fallbacks, test line. Pure."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from agent.domain.project import BuildConfig, ProjectPlan
from agent.toolchains.choice import CONFIGURED, TestChoice
from agent.toolchains.pytest_options import settings
from agent.toolchains.python_interpreter import interpreter, package_limit
from agent.toolchains.python_manifests import PythonFacts, facts
from agent.toolchains.python_requirements import (
    Wanted,
    by_convention,
    from_steps,
    known_test_packages,
    of_manifests,
)
from agent.toolchains.python_tests import chosen_tests, test_environment, test_line
from agent.toolchains.python_ways import PythonInstall

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from agent.toolchains.snapshot import Snapshot

FORMAT = "python-1"
INSTALLED_FROM = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|[\w-]*requirements?[\w.-]*\.txt|.*\.lock)$|^requirements/"
)


def plan(
    snapshot: Snapshot, config: BuildConfig, interpreters: Mapping[str, str], *, today: date, platform: str
) -> ProjectPlan | None:
    """Return how to install and test the project, None when it is no Python project."""
    known = facts(snapshot)
    if known.origin == "convention" and not any(path.endswith(".py") for path in snapshot.paths):
        return None
    python = interpreter(config.python, known.requires_python, snapshot, interpreters)
    choice = chosen_tests(config.test, snapshot, version=python.version)
    name = choice.step.runner if choice else ""
    wanted, origin = _wanted(choice, known, snapshot)
    lines = PythonInstall(
        known=known,
        wanted=wanted,
        runner=_runner_packages(name, snapshot, wanted, known),
        limit=package_limit(config.committed or snapshot.newest, today, python.version),
        interpreter=python,
    ).ways(config)
    env = test_environment(name, snapshot, scm_version=known.scm_version, name=known.name)
    tested = choice.origin if choice else "none found"
    return ProjectPlan(
        language="python",
        manager=known.manager,
        runner=name,
        install=lines[0],
        fallbacks=lines[1:],
        test=test_line(choice, config.test) if choice else "",
        build=config.build,
        digest=_digest(lines, env, snapshot, f"{python.path} {python.version} {platform}"),
        env=env,
        interpreter=python.path,
        origins={
            "manager": known.origin,
            "install": CONFIGURED if config.install else origin,
            "test": tested,
            "runner": tested,
            "interpreter": python.said,
        },
    )


def _wanted(choice: TestChoice | None, known: PythonFacts, snapshot: Snapshot) -> tuple[Wanted, str]:
    said = from_steps(choice.steps, known, snapshot) if choice else Wanted()
    own = of_manifests(known)
    if said:
        return said.plus(own), choice.origin if choice else ""
    return by_convention(known, snapshot).plus(own), "convention"


def _runner_packages(runner: str, snapshot: Snapshot, wanted: Wanted, known: PythonFacts) -> tuple[str, ...]:
    """Return the runner when nobody asks for it, and well-known helpers when nobody asks for anything."""
    asked = " ".join(wanted.arguments)
    packages = ["pytest"] if runner == "pytest" and not re.search(r"\bpytest\b(?!-)", asked) else []
    if not (wanted.extras or wanted.groups or "-r " in asked or known.development):
        packages += known_test_packages(snapshot, tuple(settings(snapshot)[1]))
    return tuple(packages)


def _digest(lines: object, env: Mapping[str, str], snapshot: Snapshot, machine: str) -> str:
    manifests = sorted((path, text) for path, text in snapshot.texts.items() if INSTALLED_FROM.search(path))
    content = repr((FORMAT, lines, sorted(env.items()), manifests, machine))
    return hashlib.sha256(content.encode()).hexdigest()[:32]
