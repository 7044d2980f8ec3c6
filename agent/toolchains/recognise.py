"""Which test runner a command starts. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.toolchains.shell import plain

if TYPE_CHECKING:
    from agent.toolchains.shell import Command

PYTHON_MODULES = {
    "pytest": "pytest",
    "unittest": "unittest",
    "nose": "unittest",
    "nose2": "unittest",
    "zope.testrunner": "unittest",
    "twisted.trial": "unittest",
}
PROGRAMS = {
    "pytest": "pytest",
    "nose2": "unittest",
    "zope-testrunner": "unittest",
    "trial": "unittest",
    "mocha": "mocha",
    "jest": "jest",
    "vitest": "vitest",
    "ava": "ava",
    "tap": "tap",
    "tape": "tape",
    "vows": "vows",
    "jasmine": "command",
    "uvu": "command",
    "lab": "command",
    "qunit": "tape",
    "karma": "command",
    "react-scripts": "jest",
    "borp": "node",
    "xo-test": "command",
}
TEST_SCRIPT = re.compile(
    r"(?:^|/)(?:run_?)?tests?(?:[-_.\w]*)\.(?:py|[cm]?[jt]s)$|(?:^|/)tests?/[\w./-]+\.(?:py|[cm]?[jt]s)$"
)
NODE = frozenset({"node", "tsx", "ts-node", "iojs", "babel-node"})


def runner_of(command: Command) -> str:
    """Return the runner's name, ``command`` for one read by its exit code only, empty for none."""
    rest = tuple(plain(word) for word in command.words)
    if not rest:
        return ""
    if rest[0] == "python":
        return _python(rest[1:])
    if rest[0] in NODE:
        return _node(rest[1:])
    name = rest[0].removeprefix("./")
    return _django(name, rest) or _program(name, rest[1:])


def _django(name: str, rest: tuple[str, ...]) -> str:
    if name.endswith("runtests.py"):
        return "django"
    return "django" if (name == "django-admin" or name.endswith("manage.py")) and "test" in rest else ""


def _program(name: str, rest: tuple[str, ...]) -> str:
    asks_only = {"--version", "--help", "--init"} & set(rest)
    if asks_only or (name == "react-scripts" and "test" not in rest):
        return ""
    return PROGRAMS.get(name, "")


def _python(rest: tuple[str, ...]) -> str:
    while rest and rest[0].startswith("-") and rest[0] != "-m":
        if rest[0] == "-c":
            return ""
        rest = rest[2:] if rest[0] in {"-W", "-X"} else rest[1:]
    if rest[:1] == ("-m",):
        module = rest[1] if len(rest) > 1 else ""
        is_tests = re.search(r"(?:^|\.)(?:run)?tests?(?:\.|$)", module) is not None
        return PYTHON_MODULES.get(module, "unittest" if is_tests else "")
    script = rest[0] if rest else ""
    if found := _django(script, rest):
        return found
    if script.endswith("setup.py"):
        return "unittest" if "test" in rest else ""
    return "unittest" if TEST_SCRIPT.search(script) else ""


def _node(rest: tuple[str, ...]) -> str:
    if "--test" in rest:
        return "node"
    scripts = [word for word in rest if not word.startswith("-")]
    for name in ("mocha", "jest", "vitest", "ava", "tap", "vows"):
        if scripts and re.search(rf"node_modules/(?:\.bin/_?{name}$|{name}/)", scripts[0]):
            return name
    return "tape" if scripts and TEST_SCRIPT.search(scripts[0]) else ""
