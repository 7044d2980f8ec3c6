"""Runs a project's tests in the sandbox and reads each test's result, whatever the runner."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from importlib.resources import files as package_files
from typing import TYPE_CHECKING

from agent.domain.execution import Execution, KillReason, Limits, SandboxCommand
from agent.domain.project import TestRun, TestStatus
from agent.toolchains import results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from agent.domain.project import Environment
    from agent.ports import Sandbox
    from agent.toolchains.results import Outcome

INSIDE = "/tmp/suture"  # noqa: S108 (the sandbox's own, private /tmp)
RESULTS = f"{INSIDE}/results"
OUTPUT = f"{INSIDE}/output"
GRACE_SECONDS = 30.0
NO_TESTS = "the project has no tests that could be found; name them in build.test"
BUILD_FAILED = 121
TIMED_OUT = frozenset({124, 137})
NOT_STARTED = {126: "the test command cannot be executed", 127: "the test command was not found"}
TEST_LIMITS = Limits(memory_mb=6144, processes=1024, disk_mb=4096, file_mb=2048, open_files=8192)
TELLING = re.compile(r"error|no module|cannot find|not found|no tests|usage:|unrecognized", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How one runner's results are read.

    ``read`` gets the text of the result file, or the command's own output when ``from_output``.
    ``marks_end``: the runner says when it came to its end. ``usage_exits`` mean that it never ran the tests.
    """

    read: Callable[[str], Outcome]
    from_output: bool = False
    marks_end: bool = False
    usage_exits: frozenset[int] = frozenset()


def inside_file(name: str) -> bytes:
    """Return one of our own files for the sandbox."""
    return package_files("agent.toolchains.inside").joinpath(name).read_bytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCommand:
    """A shell line that runs tests, what it needs beside it, and how its results are read."""

    __test__ = False

    line: str
    reading: Reading
    files: Mapping[str, bytes] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)


async def run(
    command: TestCommand,
    environment: Environment,
    tree: Path,
    sandbox: Sandbox,
    *,
    files: Mapping[str, bytes] | None,
    seconds: float,
) -> TestRun:
    """Run it once. A run that was cut short keeps what it saw, with ``complete`` false."""
    if not command.line:
        nothing = Execution(argv=(), exit_code=0, stdout="", stderr="", seconds=0.0)
        return TestRun(results={}, execution=nothing, usage_error=NO_TESTS, complete=False)
    execution = await sandbox.run(_command(command, environment, tree, files or {}, seconds))
    execution = _with_time_limit(execution)
    return _test_run(command, execution)


def _command(
    command: TestCommand, environment: Environment, tree: Path, files: Mapping[str, bytes], seconds: float
) -> SandboxCommand:
    lines = "\n".join(
        f"({line}) >{INSIDE}/build.log 2>&1 || {{ cat {INSIDE}/build.log; exit {BUILD_FAILED}; }}"
        for line in environment.plan.build
    )
    tests = f"timeout --kill-after=5 {seconds:.0f} bash -c {_quoted(command.line)}"
    if command.reading.from_output:
        tests = f"{tests} >{OUTPUT}; code=$?; tail -c 200000 {OUTPUT}; exit $code"
    script = f"mkdir -p {INSIDE}\n{lines}\n{tests}"
    return SandboxCommand(
        argv=("bash", "-c", script),
        tree=tree,
        files={**files, **command.files},
        mounts=environment.mounts,
        env={**environment.env, **command.env, "SUTURE_RESULTS": RESULTS, "CI": "true"},
        limits=replace(TEST_LIMITS, wall_seconds=seconds + GRACE_SECONDS, cpu_seconds=int(seconds * 4) + 60),
        collect=(OUTPUT if command.reading.from_output else RESULTS,),
    )


def _quoted(line: str) -> str:
    return "'" + line.replace("'", "'\"'\"'") + "'"


def _with_time_limit(execution: Execution) -> Execution:
    """Our own time limit, set inside so that results can still leave, counts as the sandbox's."""
    if execution.killed_by is None and execution.exit_code in TIMED_OUT:
        return replace(execution, exit_code=None, killed_by=KillReason.TIME)
    return execution


def _test_run(command: TestCommand, execution: Execution) -> TestRun:
    collected = execution.collected.get(OUTPUT if command.reading.from_output else RESULTS, b"")
    outcome = command.reading.read(collected.decode("utf-8", errors="replace"))
    complete = execution.killed_by is None and (outcome.ended or not command.reading.marks_end)
    found = dict(outcome.results)
    usage = _usage_error(command, execution, has_results=bool(found))
    if (
        command.reading.read is by_exit_code
        and not found
        and usage is None
        and execution.exit_code is not None
    ):
        found = {command.line: TestStatus.FAILED if execution.exit_code else TestStatus.PASSED}
    return TestRun(results=found, execution=execution, usage_error=usage, complete=complete and usage is None)


def by_exit_code(text: str) -> Outcome:
    """Read a runner that tells nothing of single tests, unless its output happens to be TAP."""
    found = results.tap(text)
    return found if found.ended else results.Outcome()


def _usage_error(command: TestCommand, execution: Execution, *, has_results: bool) -> str | None:
    """Return why the tests did not run at all, None when they did (or were stopped by a limit)."""
    if execution.killed_by is not None:
        return None
    code = execution.exit_code
    if code == BUILD_FAILED:
        return f"the build before the tests failed: {_telling(execution)}"
    if code in command.reading.usage_exits:
        return f"the test runner refused to run (exit {code}): {_telling(execution)}"
    return None if has_results else _nothing_ran(command, execution)


def _nothing_ran(command: TestCommand, execution: Execution) -> str | None:
    code = execution.exit_code
    if code in NOT_STARTED:
        return f"{NOT_STARTED[code]}: {_telling(execution)}"
    if command.reading.read is not by_exit_code:
        return f"the test runner ran no test (exit {code}): {_telling(execution)}"
    missing = re.search(r"No module named|Cannot find module '(?![./])", execution.stderr)
    return f"the test command could not start: {_telling(execution)}" if code and missing else None


def _telling(execution: Execution) -> str:
    lines = [line.strip() for line in f"{execution.stdout}\n{execution.stderr}".splitlines() if line.strip()]
    telling = [line for line in lines if TELLING.search(line)]
    return (telling or lines or ["no output"])[-1][:300]
