"""A run: one attempt to fix one report on one branch of one repository."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from agent.domain.matrix import Matrix
    from agent.domain.patch import Candidate, Declined
    from agent.domain.project import ProjectPlan, TestRun
    from agent.domain.proof import ProofOfConcept
    from retrieval.domain import RankedFile

SCHEMA_VERSION: Final = 1


class Outcome(StrEnum):
    """How a run ended. A pipeline fault is never counted as a patch failure, nor the other way round."""

    FIXED = "fixed"
    ALREADY_FIXED = "already_fixed"
    UNPROVEN = "unproven"
    NOT_REPRODUCED = "not_reproduced"
    NO_PATCH = "no_patch"
    DECLINED = "declined"
    ENVIRONMENT_FAILED = "environment_failed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    CANCELLED = "cancelled"
    ERROR = "error"


class Depth(StrEnum):
    """How much is spent: ``QUICK`` no diagnosis, ``STANDARD`` with reviewer, ``THOROUGH`` everything."""

    QUICK = "quick"
    STANDARD = "standard"
    THOROUGH = "thorough"


class Stage(StrEnum):
    """The stages of a run in their order."""

    ENVIRONMENT = "environment"
    BASELINE = "baseline"
    REPRODUCE = "reproduce"
    LOCALIZE = "localize"
    DIAGNOSE = "diagnose"
    GENERATE = "generate"
    VALIDATE = "validate"
    REFINE = "refine"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What was spent on models; ``money`` in US dollars."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        """Return the sum of two prices."""
        return Cost(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            money=self.money + other.money,
        )

    def __sub__(self, earlier: Cost) -> Cost:
        """Return what was spent since ``earlier``."""
        return Cost(
            calls=self.calls - earlier.calls,
            tokens_in=self.tokens_in - earlier.tokens_in,
            tokens_out=self.tokens_out - earlier.tokens_out,
            money=self.money - earlier.money,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """One finished stage: its result word (see ``workflow/transitions.py``), one line, and its price."""

    stage: Stage
    result: str
    summary: str
    seconds: float
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """Everything a run found; what publishing and the pages need.

    ``diff`` is the patch that stands behind the outcome; ``rejected_diff`` the best one that was refused, kept
    for people to look at and never published.
    """

    run_id: str
    report_id: str
    outcome: Outcome
    reason: str
    stages: tuple[StageRecord, ...]
    plan: ProjectPlan | None = None
    baseline: TestRun | None = None
    files: tuple[RankedFile, ...] = ()
    covered: frozenset[str] = frozenset()
    proof: ProofOfConcept | None = None
    candidate: Candidate | None = None
    declined: tuple[Declined, ...] = ()
    matrix: Matrix | None = None
    diff: str = ""
    rejected_diff: str = ""
    cost: Cost = field(default_factory=Cost)
    unsafe: bool = False
    notices: tuple[str, ...] = ()
