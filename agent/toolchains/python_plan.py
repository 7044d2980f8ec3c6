"""The plan of a Python project: interpreter, install lines with their fallbacks, test line. Pure."""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from agent.domain.project import BuildConfig, ProjectPlan
from agent.toolchains.choice import CONFIGURED, TestChoice
from agent.toolchains.python_manifests import PythonFacts, facts, pep440
from agent.toolchains.python_requirements import (
    Wanted,
    by_convention,
    from_steps,
    known_test_packages,
    of_manifests,
)
from agent.toolchains.python_tests import chosen_tests, test_environment, test_line
from agent.toolchains.pytest_options import settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.toolchains.snapshot import Snapshot

VENV = "/env/venv"
FORMAT = "python-1"
OLD = timedelta(days=60)
SLACK = timedelta(days=14)
# newer ones no longer bring pkg_resources, which old projects import
SETUPTOOLS = "'setuptools<81' wheel"
BACKENDS = ("setuptools", "wheel", "hatchling", "flit-core", "poetry-core", "pdm-backend")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python of the host, and what to say of the choice."""

    version: str
    path: str
    said: str


def plan(
    snapshot: Snapshot, config: BuildConfig, interpreters: Mapping[str, str], *, today: date, platform: str
) -> ProjectPlan | None:
    """Return how to install and test the project, None when it is no Python project."""
    known = facts(snapshot)
    if known is None and not any(path.endswith(".py") for path in snapshot.paths):
        return None
    python = interpreter(config.python, known.requires_python if known else "", snapshot, interpreters)
    choice = chosen_tests(config.test, snapshot, version=python.version)
    wanted, origin = _wanted(choice, known, snapshot)
    lines = _attempts(known, wanted, config, snapshot, python, _limit(snapshot.newest, today), choice.step.runner if choice else "")
    env = test_environment(
        choice.step.runner if choice else "", snapshot, scm_version=known.scm_version if known else "", name=known.name if known else ""
    )
    return ProjectPlan(
        language="python",
        manager=known.manager if known else "pip",
        runner=choice.step.runner if choice else "",
        install=lines[0],
        fallbacks=lines[1:],
        test=test_line(choice, config.test) if choice else "",
        build=config.build,
        digest=_digest(lines, env, snapshot, f"{python.path} {python.version} {platform}"),
        env=env,
        interpreter=python.path,
        origins={
            "manager": known.origin if known else "convention",
            "install": CONFIGURED if config.install else origin,
            "test": choice.origin if choice else "none found",
            "runner": choice.origin if choice else "none found",
            "interpreter": python.said,
        },
    )


def interpreter(asked: str, requires: str, snapshot: Snapshot, available: Mapping[str, str]) -> Interpreter:
    """Choose among ``available`` (version -> program): the configured one, else the newest that the project names."""
    if asked:
        short = ".".join(asked.split(".")[:2])
        if short in available:
            return Interpreter(version=short, path=available[short], said=f"{CONFIGURED} asks {asked}")
    fitting = [version for version in available if _allows(requires, version)] or list(available)
    named = [version for version in fitting if version in _named(snapshot)]
    above = max(_named(snapshot), key=_order, default="0")
    later = [version for version in fitting if _order(version) > _order(above)]
    version = max(named, key=_order) if named else min(later or fitting, key=_order)
    told = f"{CONFIGURED} asks {asked}, which is not here: " if asked else ""
    why = "named by the project" if named else f"the project names {'none' if above == '0' else 'up to ' + above}"
    return Interpreter(version=version, path=available[version], said=f"{told}Python {version}, {why}")


def _named(snapshot: Snapshot) -> frozenset[str]:
    text = "\n".join(snapshot.text(name) for name in ("pyproject.toml", "setup.cfg", "setup.py"))
    versions = re.findall(r"Programming Language :: Python :: (3\.\d+)", text)
    versions += [f"3.{minor}" for minor in re.findall(r"\bpy3(\d{1,2})\b", snapshot.text("tox.ini"))]
    return frozenset(versions) | frozenset(re.findall(r"^3\.\d+", snapshot.text(".python-version"), re.MULTILINE))


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _allows(requires: str, version: str) -> bool:
    try:
        return SpecifierSet(pep440(requires)).contains(f"{version}.99") if requires else True
    except InvalidSpecifier:
        return True


def _limit(newest: date | None, today: date) -> str:
    """Return the day up to which packages may be taken: an old project meets the packages of its time.

    The newest file tells the project's day: release archives and exported commits keep it, a fresh clone does
    not and gets no limit.
    """
    return (newest + SLACK).isoformat() if newest is not None and today - newest > OLD else ""


def _wanted(choice: TestChoice | None, known: PythonFacts | None, snapshot: Snapshot) -> tuple[Wanted, str]:
    said = from_steps(choice.steps, known, snapshot) if choice else Wanted()
    own = of_manifests(known)
    if said:
        return said.plus(own), choice.origin if choice else ""
    return by_convention(known, snapshot).plus(own), "convention"


def _attempts(
    known: PythonFacts | None, wanted: Wanted, config: BuildConfig, snapshot: Snapshot, python: Interpreter, limit: str, name: str
) -> tuple[tuple[str, ...], ...]:
    start = [f"uv venv --seed --python {shlex.quote(python.path)} {VENV}" if config.install else f"uv venv --python {shlex.quote(python.path)} {VENV}"]
    if _order(python.version) < (3, 12):
        start.append(f"uv pip install {SETUPTOOLS}")
    more = [f"uv pip install {' '.join(shlex.quote(one) for one in config.packages)}"] if config.packages else []
    if config.install:
        return ((*start, *config.install, *more),)
    runner = _runner_packages(name, snapshot, wanted, known)
    aged = f" --exclude-newer {limit}" + "".join(f" --exclude-newer-package {name}=false" for name in BACKENDS) if limit else ""
    asked = _joint(known, wanted, runner, python)
    lean = _joint(known, Wanted(extras=wanted.extras), runner, python)
    found = [(*start, *_pins(known), f"uv pip install{aged} {asked}{_constrained(known)}", *more)]
    if limit:
        found.append((*start, *_pins(known), f"uv pip install {asked}{_constrained(known)}", *more))
    if known and known.manager == "uv" and "uv.lock" in snapshot.texts:
        found.insert(0, (*start[:1], _synced(wanted), *([f"uv pip install {' '.join(runner)}"] if runner else []), *more))
    found.append((*start, f"uv pip install{aged} {lean}", *_optional(wanted, aged), *more))
    found.append((*start, *_unbuilt(known, runner, aged), *_optional(wanted, aged), *more))
    return tuple(dict.fromkeys(found))


def _runner_packages(runner: str, snapshot: Snapshot, wanted: Wanted, known: PythonFacts | None) -> list[str]:
    asked = " ".join(wanted.arguments)
    packages = ["pytest"] if runner == "pytest" and not re.search(r"\bpytest\b(?!-)", asked) else []
    if by_hand := not (wanted.extras or wanted.groups or "-r" in wanted.arguments or (known and known.development)):
        packages += known_test_packages(snapshot, tuple(settings(snapshot)[1]))
    return [shlex.quote(name) for name in packages if by_hand or name == "pytest"]


def _joint(known: PythonFacts | None, wanted: Wanted, runner: Sequence[str], python: Interpreter) -> str:
    del python
    extras = wanted.extras
    project = [f"-e {shlex.quote('.' + (f'[{chr(44).join(extras)}]' if extras else ''))}"] if known and known.installable else []
    groups = [f"--group {shlex.quote(name)}" for name in wanted.groups if known and name in known.groups]
    return " ".join([*project, *groups, *wanted.arguments, *runner])


def _pins(known: PythonFacts | None) -> list[str]:
    if not known or not known.locked:
        return []
    return [f"printf '%s\\n' {' '.join(map(shlex.quote, known.locked))} > /tmp/locked.txt"]


def _constrained(known: PythonFacts | None) -> str:
    return " -c /tmp/locked.txt" if known and known.locked else ""


def _synced(wanted: Wanted) -> str:
    extras = "".join(f" --extra {shlex.quote(name)}" for name in wanted.extras)
    groups = "".join(f" --group {shlex.quote(name)}" for name in wanted.groups)
    return f"uv sync --frozen{extras}{groups}"


def _optional(wanted: Wanted, aged: str) -> list[str]:
    words = list(wanted.arguments)
    found = []
    while words:
        word = words.pop(0)
        argument = f"{word} {words.pop(0)}" if word in {"-r", "-c"} and words else word
        if not argument.startswith("-c"):
            found.append(f"uv pip install{aged} {argument} || echo 'left out: {argument.replace(chr(39), '')}'")
    return found


def _unbuilt(known: PythonFacts | None, runner: Sequence[str], aged: str) -> list[str]:
    """Install without building the project in isolation, then without building it at all."""
    lines = []
    if known and known.installable:
        lines.append(
            f"uv pip install{aged} --no-build-isolation -e . || uv pip install{aged} -r setup.py || "
            "echo 'the project itself is not installed; it is found by PYTHONPATH'"
        )
    return [*lines, f"uv pip install{aged} {' '.join(runner)}"] if runner else lines


def _digest(lines: object, env: Mapping[str, str], snapshot: Snapshot, machine: str) -> str:
    manifests = sorted(
        (path, text) for path, text in snapshot.texts.items()
        if re.search(r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|[\w-]*requirements?[\w.-]*\.txt|.*\.lock|Pipfile\.lock)$|^requirements/", path)
    )  # fmt: skip
    content = repr((FORMAT, lines, sorted(env.items()), manifests, machine))
    return hashlib.sha256(content.encode()).hexdigest()[:32]
