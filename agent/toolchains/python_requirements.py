"""Which packages a Python project's tests need: as its commands install them, else by convention. Pure."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.toolchains.python_manifests import requirement_files
from agent.toolchains.shell import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.toolchains.python_manifests import PythonFacts
    from agent.toolchains.recipes import Step
    from agent.toolchains.snapshot import Snapshot

TEST_NAME = re.compile(
    r"^(?:all|full|ci|tests?|testing|dev|devel|develop|development|pytest|test[-_]\w+|\w+[-_]tests?)$"
)
TEST_FILE = re.compile(r"(?:^|[/_.-])(?:tests?|testing|dev|devel|develop|development|ci)(?:[_.-]|$)")
IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
TEST_ARGUMENTS = re.compile(r"^\s*(?:async )?def test\w*\(([\w,\s]*)", re.MULTILINE)
SHELL_TOOLS = frozenset(
    {
        *(
            "pip",
            "tox",
            "nox",
            "virtualenv",
            "hatch",
            "twine",
            "poetry",
            "pdm",
            "pipenv",
            "uv",
            "codecov",
            "build",
        ),
        *(
            "coveralls",
            "pre-commit",
            "tox-gh-actions",
            "tox-gh",
            "tox-uv",
            "flit",
            "pep517",
            "wheel",
            "setuptools",
        ),
        *("tox-travis", "coverage", "safety", "check-manifest"),
    }
)
SEPARATE_VALUE = frozenset({"-r", "--requirement", "-c", "--constraint", "-e", "--editable", "--group"})
# what tests import or take as a fixture, and the package that brings it: asked for only when manifests do not
# say, and only from this list, so that no name read in a tree is ever looked up in a registry
KNOWN_IMPORTS = {
    **{
        name: name
        for name in ("hypothesis", "mock", "freezegun", "responses", "parameterized", "ddt", "sybil")
    },
    **{
        name: name
        for name in ("trio", "anyio", "pretend", "testfixtures", "webtest", "httpbin", "flaky", "six")
    },
    "requests_mock": "requests-mock",
    "pytest_mock": "pytest-mock",
    "time_machine": "time-machine",
    "pytest_asyncio": "pytest-asyncio",
    "pytest_httpbin": "pytest-httpbin",
    "nose": "pynose",
    "factory": "factory-boy",
    "faker": "faker",
    "pyfakefs": "pyfakefs",
    "aioresponses": "aioresponses",
}
KNOWN_FIXTURES = {
    "mocker": "pytest-mock",
    "httpbin": "pytest-httpbin",
    "requests_mock": "requests-mock",
    "faker": "faker",
    "benchmark": "pytest-benchmark",
    "aiohttp_client": "pytest-aiohttp",
    "freezer": "pytest-freezer",
    "httpserver": "pytest-httpserver",
    "fs": "pyfakefs",
    "subtests": "pytest-subtests",
    "datadir": "pytest-datadir",
}
KNOWN_SETTINGS = {
    "asyncio_mode": "pytest-asyncio",
    "timeout": "pytest-timeout",
    "django_settings_module": "pytest-django",
    "qt_api": "pytest-qt",
    "env": "pytest-env",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Arguments of ``pip install`` (shell text, ``-r FILE`` as one), and the project's extras and groups."""

    arguments: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything beside the project itself is wanted."""
        return bool(self.arguments or self.extras or self.groups)

    def plus(self, other: Wanted) -> Wanted:
        """Return both together, in order and once."""
        return Wanted(
            arguments=tuple(dict.fromkeys((*self.arguments, *other.arguments))),
            extras=tuple(dict.fromkeys((*self.extras, *other.extras))),
            groups=tuple(dict.fromkeys((*self.groups, *other.groups))),
        )


def from_steps(steps: Sequence[Step], facts: PythonFacts, snapshot: Snapshot) -> Wanted:
    """Return what the install commands among ``steps`` ask for, tools that only start the tests left out."""
    found = Wanted()
    for step in steps:
        words = _install_words([plain(word) for word in step.command.words])
        found = found.plus(_asked(words, facts, snapshot)) if words else found
    return found


def _install_words(words: list[str]) -> list[str]:
    if words[:2] == ["python", "-m"]:
        words = words[2:]
    for head in (["pip", "install"], ["pip3", "install"], ["uv", "pip", "install"], ["poetry", "install"],
                 ["uv", "sync"], ["pdm", "install"], ["pdm", "sync"], ["pipenv", "install"]):  # fmt: skip
        if words[: len(head)] == head:
            return [head[-2] if head[-1] != "sync" else head[0], *words[len(head) :]]
    return []


def _asked(words: list[str], facts: PythonFacts, snapshot: Snapshot) -> Wanted:
    tool, *rest = words
    if tool != "pip":
        return _of_manager(rest, facts)
    found = Wanted()
    pending = iter(rest)
    for word in pending:
        if word in SEPARATE_VALUE:
            found = found.plus(_option(word, next(pending, ""), snapshot))
        elif (
            match := re.match(r"^(-r|--requirement=|-c|--constraint=|-e)(?=.)(.+)$", word)
        ) and word != "-e":
            found = found.plus(_option(match[1].rstrip("="), match[2].strip(), snapshot))
        elif not word.startswith("-"):
            found = found.plus(_target(word))
    return found


def _option(option: str, value: str, snapshot: Snapshot) -> Wanted:
    if option in {"-e", "--editable"}:
        return _target(value)
    if option == "--group":
        return Wanted(groups=(value,))
    path = value.removeprefix("./")
    if path not in snapshot.paths:
        return Wanted()
    short = "-r" if option in {"-r", "--requirement"} else "-c"
    return Wanted(arguments=(f"{short} {shlex.quote(path)}",))


def _target(word: str) -> Wanted:
    if match := re.match(r"^\.(?:/)?(?:\[([\w,. -]*)\])?$", word):
        return Wanted(extras=tuple(name.strip() for name in (match[1] or "").split(",") if name.strip()))
    name = re.split(r"[\s\[<>=!~;@]", word)[0].lower()
    is_requirement = re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?\s*([<>=!~].*)?", word) is not None
    return Wanted(arguments=(shlex.quote(word),)) if is_requirement and name not in SHELL_TOOLS else Wanted()


def _of_manager(rest: list[str], facts: PythonFacts) -> Wanted:
    found = Wanted()
    for option, value in zip(rest, [*rest[1:], ""], strict=True):
        if option in {"--extra", "-E", "--extras"}:
            found = found.plus(Wanted(extras=tuple(value.split(","))))
        elif option in {"--group", "--with", "-G"}:
            found = found.plus(Wanted(groups=tuple(value.split(","))))
        elif option == "--all-extras":
            found = found.plus(Wanted(extras=tuple(sorted(facts.extras))))
        elif option == "--all-groups":
            found = found.plus(Wanted(groups=tuple(sorted(facts.groups))))
    return found


def by_convention(facts: PythonFacts, snapshot: Snapshot) -> Wanted:
    """Return the extras, groups and requirement files that are named as if for tests."""
    files = [path for path in requirement_files(snapshot) if TEST_FILE.search(path)]
    plain_files = [path for path in ("requirements.txt",) if path in snapshot.texts]
    return Wanted(
        arguments=tuple(f"-r {shlex.quote(path)}" for path in (*plain_files, *files)),
        extras=tuple(sorted(name for name in facts.extras if TEST_NAME.match(name))),
        groups=tuple(sorted(name for name in facts.groups if TEST_NAME.match(name))),
    )


def of_manifests(facts: PythonFacts) -> Wanted:
    """Return the development requirements that managers keep in tables of their own."""
    return Wanted(arguments=tuple(shlex.quote(one) for one in (*facts.runtime, *facts.development)))


def known_test_packages(snapshot: Snapshot, settings: Sequence[str]) -> tuple[str, ...]:
    """Return well-known test packages that the tests use and that no manifest asked for."""
    found = {KNOWN_SETTINGS[name] for name in settings if name in KNOWN_SETTINGS}
    for path, text in snapshot.texts.items():
        if not path.endswith(".py") or "test" not in path:
            continue
        imports = set(IMPORT.findall(text))
        fixtures = {name.strip() for names in TEST_ARGUMENTS.findall(text) for name in names.split(",")}
        found |= {package for name, package in KNOWN_IMPORTS.items() if name in imports}
        found |= {package for name, package in KNOWN_FIXTURES.items() if name in fixtures}
    return tuple(sorted(found))
