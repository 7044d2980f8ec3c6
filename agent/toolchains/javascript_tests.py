"""The command that tests a JavaScript project, and how each runner is made to tell its results. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from agent.toolchains.choice import (
    CONFIGURED,
    TestChoice,
    as_configured,
    choose,
    continuous_integration,
)
from agent.toolchains.recipes import Body, make, script_file
from agent.toolchains.recipes_javascript import package_script, scripts_of
from agent.toolchains.shell import Command, parse, pieces, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent.toolchains.snapshot import Snapshot

EXPANDERS = (package_script, make, script_file)
RUNNERS = frozenset({"mocha", "jest", "vitest", "ava", "tap", "tape", "vows", "node", "command"})
TEST_FILE = re.compile(
    r"(?:^|/)(?:__tests__/.*|tests?|[^/]+[._-](?:test|spec))\.[cm]?[jt]sx?$|^tests?/[^/]+\.[cm]?[jt]sx?$"
)
BUILDERS = re.compile(
    r"\b(?:tsc|rollup|webpack|babel|esbuild|tsup|vite build|swc|unbuild|microbundle|gulp|grunt)\b"
)
EARLY_END = frozenset(
    {"--bail", "-b", "--watch", "-w", "--watchAll", "--coverage", "--forbid-only", "--fail-fast"}
)
SILENT = re.compile(
    r"^(?:--test-reporter(?:-destination)?|--reporter(?:s|-option|-options)?|-R|-O|--tap|--verbose|-v|--json|--outputFile|--spec)(?:=.*)?$"
)
SILENT_VALUE = frozenset(
    {"--reporter", "--reporters", "-R", "-O", "--reporter-option", "--reporter-options", "--outputFile"}
)


def chosen_tests(
    configured: str, snapshot: Snapshot, package: Mapping[str, object], *, version: str
) -> TestChoice | None:
    """Return the command that runs the tests, None when there are none to be found."""
    chosen = choose(_groups(configured, snapshot, package, version), snapshot, EXPANDERS, RUNNERS)
    return as_configured(configured) if chosen is None and configured else chosen


def _groups(
    configured: str, snapshot: Snapshot, package: Mapping[str, object], version: str
) -> Iterator[tuple[Body, ...]]:
    if configured:
        yield (Body(text=configured, origin=CONFIGURED),)
        return
    yield from continuous_integration(snapshot, version=version)
    for name in ("test", "test:unit", "unit", "tests", "test:node", "test-unit"):
        if name in scripts_of(snapshot):
            yield (Body(text=f"npm run {name}", origin="package.json"),)
    yield (Body(text="make test", origin="Makefile"),)
    if line := by_convention(snapshot, package):
        yield (Body(text=line, origin="convention"),)


def by_convention(snapshot: Snapshot, package: Mapping[str, object]) -> str:
    """Return what runs the tests where nothing says so: the runner that is asked for, else Node's own."""
    files = sorted(path for path in snapshot.paths if TEST_FILE.search(path) and "fixture" not in path)
    wanted = {
        name for section in ("devDependencies", "dependencies") for name in _names(package.get(section))
    }
    if not files:
        return ""
    runner = next((name for name in ("vitest", "jest", "mocha", "ava", "tap") if name in wanted), "")
    if runner == "vitest":
        return "vitest run"
    if runner == "mocha":
        return f"mocha {' '.join(files)}"
    return runner or f"node --test {' '.join(files)}"


def _names(section: object) -> frozenset[str]:
    return frozenset(section) if isinstance(section, Mapping) else frozenset()


def test_line(choice: TestChoice, configured: str) -> str:
    """Return the shell line without early ends; several configured commands stay as written."""
    if choice.origin.startswith(CONFIGURED) and len(pieces(configured)) > 1:
        return configured
    command = choice.step.command
    words = [word for word in command.words if plain(word) not in EARLY_END]
    line = Command(assignments=command.assignments, words=tuple(words)).line
    return f"cd {choice.step.folder} && {line}" if choice.step.folder else line


def built_line(
    snapshot: Snapshot, package: Mapping[str, object], choice: TestChoice | None
) -> tuple[str, ...]:
    """Return what must be built before tests and scripts: a missing entry point, or what tests run before."""
    scripts = scripts_of(snapshot)
    steps = choice.steps if choice else ()
    before = steps[: steps.index(choice.step)] if choice else ()
    needs = any(BUILDERS.search(step.command.line) for step in before)
    main = package.get("main")
    missing = isinstance(main, str) and not _resolves(main, snapshot)
    if not needs and not missing:
        return ()
    name = next(
        (one for one in ("build", "compile", "prepare", "prepublish", "build:lib") if one in scripts), ""
    )
    if name and (missing or BUILDERS.search(scripts[name])):
        return (f"npm run {name}",)
    return tuple(step.line for step in before if BUILDERS.search(step.command.line))


def _resolves(main: str, snapshot: Snapshot) -> bool:
    path = main.removeprefix("./").rstrip("/")
    return any(f"{path}{end}" in snapshot.paths for end in ("", ".js", ".cjs", ".mjs", ".json", "/index.js"))


def instrumented(line: str, runner: str, folder: str) -> str:
    """Return the line so that the runner tells each test: our reporter from ``folder``, or TAP."""
    *before, last = pieces(line) or ("",)
    if any(symbol in line for symbol in ("||", "|", ";")) or runner == "command":
        return line
    command = parse(last)
    words = _without_reporters(command.words) if runner != "tape" else command.words
    added = {
        "mocha": ["--reporter", f"{folder}/suture_mocha.js"],
        "jest": [
            "--ci",
            "--coverage=false",
            f"--reporters={folder}/suture_jest.js",
            "--cacheDirectory=/tmp/jest",
        ],
        "vitest": ["--reporter=json", f"--outputFile={folder}/results", "--coverage.enabled=false"],
        "ava": ["--tap"],
        "tap": ["-Rtap"],
        "vows": ["--json"],
    }.get(runner, [])
    if runner == "node":
        place = words.index("--test") + 1
        words = (*words[:place], "--test-reporter=tap", *words[place:])
    if runner == "vitest" and not {"run", "--run"} & set(words):
        added = ["--run", *added]
    # Before version 1, tap knew no reporters: it and the later ones obey this variable.
    assignments = (*command.assignments, "TAP=1") if runner == "tap" else command.assignments
    return " && ".join([*before, " ".join([*assignments, *words, *added])])


def _without_reporters(words: Sequence[str]) -> tuple[str, ...]:
    kept: list[str] = []
    pending = list(words)
    while pending:
        word = pending.pop(0)
        if not SILENT.match(plain(word)):
            kept.append(word)
        elif plain(word) in SILENT_VALUE and pending:
            pending.pop(0)
    return tuple(kept)
