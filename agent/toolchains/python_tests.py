"""The command that tests a Python project, and the variables it needs. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.toolchains.choice import (
    CONFIGURED,
    TestChoice,
    as_configured,
    choose,
    continuous_integration,
)
from agent.toolchains.pytest_options import added_options, settings, without_noise
from agent.toolchains.recipes import Body, make, script_file
from agent.toolchains.recipes_python import hatch, nox
from agent.toolchains.recipes_tox import tox
from agent.toolchains.shell import Command, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agent.toolchains.snapshot import Snapshot

EXPANDERS = (make, tox, nox, hatch, script_file)
RUNNERS = frozenset({"pytest", "unittest", "django"})
TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?)\.py$")


def chosen_tests(configured: str, snapshot: Snapshot, *, version: str) -> TestChoice | None:
    """Return the command that runs the tests, None when there are none to be found."""
    chosen = choose(_groups(configured, snapshot, version), snapshot, EXPANDERS, RUNNERS)
    return as_configured(configured) if chosen is None and configured else chosen


def _groups(configured: str, snapshot: Snapshot, version: str) -> Iterator[tuple[Body, ...]]:
    if configured:
        yield (Body(text=configured, origin=CONFIGURED),)
        return
    yield from continuous_integration(snapshot, version=version)
    yield (Body(text="tox", origin="tox.ini"),)
    yield (Body(text="nox", origin="noxfile.py"),)
    yield (Body(text="hatch run test", origin="pyproject.toml"),)
    yield (Body(text="make test", origin="Makefile"),)
    if line := by_convention(snapshot):
        yield (Body(text=line, origin="convention"),)


def by_convention(snapshot: Snapshot) -> str:
    """Return what runs the tests where nothing says so, empty when there are no tests."""
    django = next((path for path in ("tests/runtests.py", "runtests.py") if path in snapshot.paths), "")
    if django:
        folder, _, name = django.rpartition("/")
        return f"cd {folder} && python {name}" if folder else f"python {name}"
    tornado = next((path for path in sorted(snapshot.paths) if path.endswith("/test/runtests.py")), "")
    if tornado:
        return f"python -m {tornado.removesuffix('.py').replace('/', '.')}"
    files = sorted(path for path in snapshot.paths if TEST_FILE.search(path) and "fixtures" not in path)
    if "manage.py" in snapshot.paths and not settings(snapshot)[0] and files:
        return "python manage.py test"
    if not files:
        return ""
    folders = [name for name in ("tests", "test") if any(path.startswith(f"{name}/") for path in files)]
    names = [path for path in files if "/" not in path] if not folders else []
    return " ".join(["pytest", *folders[:1], *names])


def test_line(choice: TestChoice, configured: str) -> str:
    """Return the shell line; a configured line of several commands is kept as its author wrote it."""
    if choice.origin.startswith(CONFIGURED) and len(pieces(configured)) > 1:
        return configured
    command = choice.step.command
    if choice.step.runner == "pytest":
        command = Command(assignments=command.assignments, words=without_noise(command.words))
    line = command.line
    return f"cd {choice.step.folder} && {line}" if choice.step.folder else line


def test_environment(runner: str, snapshot: Snapshot, *, scm_version: str, name: str) -> Mapping[str, str]:
    """Return the variables of install and tests: pytest's options, and the version that git would tell."""
    _file, found = settings(snapshot)
    env = {"PYTEST_ADDOPTS": added_options(found.get("addopts", ""))} if runner == "pytest" else {}
    if scm_version:
        key = re.sub(r"[^A-Z0-9]+", "_", name.upper())
        env |= {f"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{key}": scm_version} if key else {}
        env |= {"PBR_VERSION": scm_version, "POETRY_DYNAMIC_VERSIONING_BYPASS": scm_version}
        env |= {} if key else {"SETUPTOOLS_SCM_PRETEND_VERSION": scm_version}
    return env
