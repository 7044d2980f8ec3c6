"""The fake of the ``Sandbox`` port: answers from a script and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agent.domain.execution import Execution

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from agent.domain.execution import KillReason, SandboxCommand

Match = str | Sequence[str] | Callable[["SandboxCommand"], bool]
Answer = Execution | Exception | Callable[["SandboxCommand"], Execution]


def build_execution(
    *argv: str,
    exit_code: int | None = 0,
    stdout: str = "",
    stderr: str = "",
    seconds: float = 0.01,
    truncated: bool = False,
    killed_by: KillReason | None = None,
    collected: Mapping[str, bytes] | None = None,
    unsafe: bool = False,
) -> Execution:
    """Return an Execution; one without ``argv`` takes that of the command it answers."""
    return Execution(
        argv=argv,
        exit_code=exit_code,
        stdout=stdout,
        stderr=stderr,
        seconds=seconds,
        truncated=truncated,
        killed_by=killed_by,
        collected=collected or {},
        unsafe=unsafe,
    )


@dataclass
class Line:
    """One line of the script: which commands it answers, with what, how often (None: always)."""

    match: Match
    answers: list[Answer]
    forever: bool

    def matches(self, command: SandboxCommand) -> bool:
        """Whether the line speaks of ``command``: text is sought in it, a sequence is its first words."""
        if callable(self.match):
            return self.match(command)
        if isinstance(self.match, str):
            return self.match in " ".join(command.argv)
        return command.argv[: len(self.match)] == tuple(self.match)

    def next(self) -> Answer:
        """Return the next answer; the last one of a ``forever`` line stays."""
        return self.answers[0] if self.forever and len(self.answers) == 1 else self.answers.pop(0)


@dataclass
class ScriptedSandbox:
    """Answers each command by the first line of its script that matches and still has an answer.

    ``on(match, *answers)`` gives the answers in turn and then stays at the last one; ``once`` stops after
    them. An answer is an Execution, an error to raise, or a function of the command. A command without a
    line fails the test by name. ``commands`` holds every command asked, in order.
    """

    name: str = "scripted"
    commands: list[SandboxCommand] = field(default_factory=list)
    script: list[Line] = field(default_factory=list)

    def on(self, match: Match, *answers: Answer) -> ScriptedSandbox:
        """Answer commands that match; the last answer is repeated."""
        self.script.append(Line(match=match, answers=list(answers), forever=True))
        return self

    def once(self, match: Match, *answers: Answer) -> ScriptedSandbox:
        """Answer as many commands that match as there are answers, then fall through."""
        self.script.append(Line(match=match, answers=list(answers), forever=False))
        return self

    @property
    def argvs(self) -> list[tuple[str, ...]]:
        """Return the argument lists asked for, in order."""
        return [command.argv for command in self.commands]

    def prepare_directory(self, path: Path) -> Path:
        """Create ``path``."""
        path.mkdir(parents=True, exist_ok=True)
        return path

    async def run(self, command: SandboxCommand) -> Execution:
        """Return the scripted Execution of ``command``."""
        self.commands.append(command)
        for line in self.script:
            if line.answers and line.matches(command):
                return _answer(line.next(), command)
        raise AssertionError(f"no line of the script answers {command.argv}")


def _answer(answer: Answer, command: SandboxCommand) -> Execution:
    if isinstance(answer, Exception):
        raise answer
    execution = answer if isinstance(answer, Execution) else answer(command)
    return execution if execution.argv else replace(execution, argv=command.argv)
