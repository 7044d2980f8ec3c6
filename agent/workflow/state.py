"""What a run knows so far, and the tools its stages work with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agent.config import RunConfig
    from agent.domain.execution import Execution
    from agent.domain.matrix import Matrix
    from agent.domain.patch import Candidate, Declined, SourceFile
    from agent.domain.place import Place
    from agent.domain.project import Environment, ProjectPlan, TestRun
    from agent.domain.proof import ProofOfConcept, Variant, Verdict
    from agent.domain.report import Report
    from agent.domain.run import Stage, StageRecord
    from agent.llm.desk import ModelDesk
    from agent.ports import (
        CandidateSource,
        FileRanker,
        Observer,
        ProofSource,
        Rule,
        Sandbox,
        Toolchain,
        Trajectory,
    )
    from agent.workflow.budget import Budget
    from agent.workflow.transitions import Result
    from agent.workspace import Workspace
    from retrieval.domain import RankedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One run of a proof: the verdict and what was seen."""

    verdict: Verdict
    execution: Execution


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A variant or control as it behaved before any patch; the matrix holds the patch against it."""

    variant: Variant
    before: Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A candidate that was validated."""

    candidate: Candidate
    diff: str
    matrix: Matrix
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """Everything found so far. Stages return a new one; nothing is changed in place.

    ``entry_points`` are the ways to the same sink; ``feedback`` is what people or checks said of an earlier patch,
    foreign text. ``batches`` counts the fresh batches a model was asked for, ``relocalized`` the new searches.
    """

    report: Report
    toolchain: Toolchain | None = None
    plan: ProjectPlan | None = None
    environment: Environment | None = None
    baseline: TestRun | None = None
    proof: ProofOfConcept | None = None
    observed: Observation | None = None
    covered: frozenset[str] = frozenset()
    functions: frozenset[tuple[str, int]] = frozenset()
    regression_test: SourceFile | None = None
    cases: tuple[Case, ...] = ()
    files: tuple[RankedFile, ...] = ()
    places: tuple[Place, ...] = ()
    entry_points: tuple[Place, ...] = ()
    pool: tuple[Candidate, ...] = ()
    declined: tuple[Declined, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    accepted: Attempt | None = None
    rounds: int = 0
    batches: int = 0
    relocalized: int = 0
    feedback: str = ""
    notices: tuple[str, ...] = ()
    records: tuple[StageRecord, ...] = ()

    @property
    def reproduced(self) -> bool:
        """Tell whether the flaw was shown on the unpatched tree."""
        return self.proof is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the stages work with; joined in the composition root. Without ``models`` rules alone repair."""

    workspace: Workspace
    sandbox: Sandbox
    toolchains: Sequence[Toolchain]
    ranker: FileRanker
    proof_sources: Sequence[ProofSource]
    candidate_sources: Sequence[CandidateSource]
    trajectory: Trajectory
    observer: Observer
    budget: Budget
    config: RunConfig
    rules: Sequence[Rule] = ()
    models: ModelDesk | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How a stage ended: the result word, one line for people, and the new state."""

    result: Result
    summary: str
    state: RunState
    facts: Mapping[str, object] = field(default_factory=dict)


if TYPE_CHECKING:
    from collections.abc import Awaitable

    StageFunction = Callable[[RunState, Tools], Awaitable[Step]]
    Stages = Mapping[Stage, StageFunction]
