"""The scripted fake itself: lines match in order, answers are used up, a gap fails by name."""

from __future__ import annotations

import pytest

from agent.domain.execution import SandboxCommand
from agent.errors import SandboxFaultError
from tests.fakes.sandbox import ScriptedSandbox, build_execution


async def test_the_first_line_that_matches_answers() -> None:
    sandbox = ScriptedSandbox().on("pytest", build_execution(exit_code=1)).on("py", build_execution())
    execution = await sandbox.run(SandboxCommand(argv=("python", "-m", "pytest")))
    assert (execution.exit_code, execution.argv) == (1, ("python", "-m", "pytest"))


async def test_answers_are_given_in_turn_and_the_last_one_stays() -> None:
    sandbox = ScriptedSandbox().on(("poc",), build_execution(exit_code=0), build_execution(exit_code=1))
    codes = [(await sandbox.run(SandboxCommand(argv=("poc",)))).exit_code for _ in range(3)]
    assert codes == [0, 1, 1]


async def test_once_falls_through_to_the_next_line() -> None:
    sandbox = ScriptedSandbox().once("x", build_execution(stdout="a")).on("x", lambda _: build_execution("y"))
    first, second = [await sandbox.run(SandboxCommand(argv=("x",))) for _ in range(2)]
    assert (first.stdout, second.argv, sandbox.argvs) == ("a", ("y",), [("x",), ("x",)])


async def test_an_error_is_raised_and_a_gap_in_the_script_fails_by_name() -> None:
    sandbox = ScriptedSandbox().on(lambda command: command.cwd == "/tmp", SandboxFaultError("gone"))
    with pytest.raises(SandboxFaultError, match="gone"):
        await sandbox.run(SandboxCommand(argv=("x",), cwd="/tmp"))
    with pytest.raises(AssertionError, match="nobody"):
        await sandbox.run(SandboxCommand(argv=("nobody",)))
