"""Fakes of the bench's ports: a scripted repairer, a silent progress, a toolchain that installs nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.domain.execution import Coverage
from agent.domain.project import BuildConfig, Environment, ProjectPlan, TestRun
from agent.domain.run import Outcome
from agent.errors import EnvironmentFailedError
from evaluation.ports import RepairAnswer, RepairerFacts, RepairTask
from tests.fakes.workflow import build_plan, build_test_run

if TYPE_CHECKING:
    from pathlib import Path

    from agent.domain.execution import SandboxCommand
    from agent.ports import Sandbox

Script = Callable[[RepairTask], Awaitable[RepairAnswer]]


def build_answer(changes: Mapping[str, bytes | None] | None = None, **fields: object) -> RepairAnswer:
    known: dict[str, object] = {
        "outcome": Outcome.FIXED if changes else Outcome.NO_PATCH,
        "reason": "scripted",
        "changes": changes or {},
    }
    return RepairAnswer(**(known | fields))  # type: ignore[arg-type]


@dataclass
class ScriptedRepairer:
    """Gives its answers in turn (the last one stays); an answer may be an error or a function of the task."""

    answers: list[RepairAnswer | Exception | Script]
    tasks: list[RepairTask] = field(default_factory=list)
    facts: RepairerFacts = field(default_factory=lambda: RepairerFacts(name="scripted", version="1"))

    async def repair(self, task: RepairTask) -> RepairAnswer:
        self.tasks.append(task)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, RepairAnswer) else await answer(task)


@dataclass
class RecordedProgress:
    """Keeps the lines."""

    lines: list[str] = field(default_factory=list)

    def begin(self, count: int) -> None:
        self.lines.append(f"begin {count}")

    def note(self, item: str, text: str) -> None:
        self.lines.append(f"{item}: {text}")

    def finish(self, item: str, text: str, *, fresh: bool) -> None:
        self.lines.append(f"{item}: {text}{'' if fresh else ' (kept)'}")


@dataclass(frozen=True)
class SystemPython:
    """Runs Python projects with the machine's own interpreter, found on PYTHONPATH; nothing is installed.

    Its own test run always passes: the bench asks the case's commands, not the toolchain.
    """

    broken: str = ""
    retryable: bool = False
    language: str = "python"

    def detect(self, tree: Path, config: BuildConfig) -> ProjectPlan | None:
        return build_plan()

    async def install(self, plan: ProjectPlan, tree: Path, sandbox: Sandbox) -> Environment:
        if self.broken:
            raise EnvironmentFailedError(self.broken, retryable=self.retryable)
        return Environment(plan=plan, env={"PYTHONPATH": "/work", "PYTHONDONTWRITEBYTECODE": "1"})

    async def test(
        self,
        environment: Environment,
        tree: Path,
        sandbox: Sandbox,
        *,
        files: Mapping[str, bytes] | None = None,
        only: Sequence[str] = (),
        seconds: float = 600.0,
    ) -> TestRun:
        return build_test_run()

    def script(self, environment: Environment, path: str) -> tuple[str, ...]:
        return ("python3", path)

    def syntax_check(self, environment: Environment, paths: Sequence[str]) -> tuple[str, ...]:
        sources = [path for path in paths if path.endswith(".py")]
        return ("python3", "-m", "py_compile", *sources) if sources else ()

    async def covered(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> frozenset[str]:
        return frozenset({"shelf/__init__.py"})

    async def reached(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> Coverage:
        return Coverage(files=await self.covered(environment, tree, sandbox, command))
