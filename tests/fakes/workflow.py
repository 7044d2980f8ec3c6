"""Fakes of the ports around the workflow, and builders of its types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.domain.execution import Coverage
from agent.domain.patch import Candidate, Declined, Origin
from agent.domain.project import Environment, ProjectPlan, TestRun, TestStatus
from agent.domain.proof import ProofOfConcept
from agent.domain.report import Report
from agent.errors import EnvironmentFailedError
from retrieval.domain import RankedFile
from tests.fakes.sandbox import build_execution

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from agent.domain.execution import SandboxCommand
    from agent.domain.project import BuildConfig
    from agent.domain.proof import Trial
    from agent.domain.run import Stage, StageRecord
    from agent.ports import Sandbox
    from agent.workflow.state import RunState, Tools


def build_report(**changes: object) -> Report:
    fields: dict[str, object] = {"id": "CVE-2020-1", "title": "A flaw", "body": "Words.", "cwes": ("CWE-22",)}
    return Report(**(fields | changes))  # type: ignore[arg-type]


def build_plan(**changes: object) -> ProjectPlan:
    fields: dict[str, object] = {
        "language": "python",
        "manager": "pip",
        "runner": "pytest",
        "install": ("pip install .",),
        "test": "pytest",
        "digest": "d",
        "origins": {"manager": "pyproject.toml", "test": "convention"},
    }
    return ProjectPlan(**(fields | changes))  # type: ignore[arg-type]


def build_proof(**changes: object) -> ProofOfConcept:
    fields: dict[str, object] = {
        "language": "python",
        "path": "/tmp/poc.py",
        "code": "exploit()",
        "argv": ("python", "/tmp/poc.py"),
        "origin": "report",
    }
    return ProofOfConcept(**(fields | changes))  # type: ignore[arg-type]


def build_candidate(**changes: object) -> Candidate:
    fields: dict[str, object] = {
        "origin": Origin.RULE,
        "source": "a-rule",
        "rationale": "It is safer.",
        "changes": {"app.py": b"safe()\n"},
    }
    return Candidate(**(fields | changes))  # type: ignore[arg-type]


def build_test_run(**results: TestStatus) -> TestRun:
    return TestRun(results=results or {"t": TestStatus.PASSED}, execution=build_execution("pytest"))


@dataclass
class FakeToolchain:
    """Answers tests in turn from ``runs`` (the last one stays); installs unless ``broken``."""

    language: str = "python"
    plan: ProjectPlan | None = field(default_factory=build_plan)
    runs: list[TestRun] = field(default_factory=lambda: [build_test_run()])
    coverage: frozenset[str] = frozenset({"app.py"})
    functions: frozenset[tuple[str, int]] = frozenset()
    broken: str = ""
    tested: list[Path] = field(default_factory=list)
    overwritten: list[Mapping[str, bytes] | None] = field(default_factory=list)

    def detect(self, tree: Path, config: BuildConfig) -> ProjectPlan | None:
        return self.plan

    async def install(self, plan: ProjectPlan, tree: Path, sandbox: Sandbox) -> Environment:
        if self.broken:
            raise EnvironmentFailedError(self.broken, log="the log")
        return Environment(plan=plan)

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
        self.tested.append(tree)
        self.overwritten.append(files)
        return self.runs.pop(0) if len(self.runs) > 1 else self.runs[0]

    def script(self, environment: Environment, path: str) -> tuple[str, ...]:
        return ("python", path)

    def syntax_check(self, environment: Environment, paths: Sequence[str]) -> tuple[str, ...]:
        return ("syntax", *paths)

    async def covered(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> frozenset[str]:
        return self.coverage

    async def reached(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> Coverage:
        files = await self.covered(environment, tree, sandbox, command)
        return Coverage(files=files, functions=self.functions)


@dataclass
class FakeRanker:
    """Ranks the given paths in their order."""

    paths: tuple[str, ...] = ("app.py", "other.py")

    def rank(self, report: Report, tree: Path, *, k: int) -> tuple[RankedFile, ...]:
        count = len(self.paths)
        return tuple(
            RankedFile(path=path, score=(count - place) / count) for place, path in enumerate(self.paths)
        )[:k]


@dataclass
class FakeProofs:
    """Yields the given proofs."""

    given: Sequence[ProofOfConcept] = ()

    async def proofs(
        self, state: RunState, tools: Tools, trials: Sequence[Trial] = ()
    ) -> AsyncIterator[ProofOfConcept]:
        for proof in self.given:
            yield proof


@dataclass
class FakeCandidates:
    """Returns one batch of candidates after another, then none; ``asked`` keeps the states."""

    batches: list[tuple[Candidate | Declined, ...]] = field(default_factory=list)
    asked: list[RunState] = field(default_factory=list)

    async def candidates(self, state: RunState, tools: Tools) -> tuple[Candidate | Declined, ...]:
        self.asked.append(state)
        return self.batches.pop(0) if self.batches else ()


@dataclass
class RecordedObserver:
    """Keeps what it was told."""

    stages: list[Stage] = field(default_factory=list)
    records: list[StageRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def started(self, stage: Stage) -> None:
        self.stages.append(stage)

    def finished(self, record: StageRecord) -> None:
        self.records.append(record)

    def note(self, text: str) -> None:
        self.notes.append(text)


@dataclass
class RecordedTrajectory:
    """Keeps the events."""

    events: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def record(self, kind: str, /, **fields: object) -> None:
        self.events.append((kind, fields))


@dataclass
class SteppingClock:
    """Goes forward by ``step`` seconds each time it is read."""

    step: float = 1.0
    now: float = 0.0

    def monotonic(self) -> float:
        self.now += self.step
        return self.now
