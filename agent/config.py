"""What a run is told by the operator and the repository; frozen, made once at the composition root."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.domain.project import BuildConfig
from agent.domain.run import Depth
from agent.patches.scope import ScopeLimits

TOKENS = {Depth.QUICK: 60_000, Depth.STANDARD: 150_000, Depth.THOROUGH: 600_000}
"""What a run may spend on models when nothing else is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """Upper bounds of one run; ``money`` in US dollars, None for no bound."""

    minutes: float | None = 45.0
    money: float | None = None
    tokens: int | None = None
    calls: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingConfig:
    """How files are ranked: the weight of history (None: what measures best), and globs of what is searched.

    ``include`` empty means every file; ``exclude`` wins over it.
    """

    alpha: float | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The models that a repository or a command asks for, by name; empty for the operator's."""

    author: str = ""
    reviewer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """How a run works. ``ranked_files`` are looked at by rules, in the order of the ranking."""

    depth: Depth = Depth.STANDARD
    build: BuildConfig = field(default_factory=BuildConfig)
    scope: ScopeLimits = field(default_factory=ScopeLimits)
    budget: BudgetLimits = field(default_factory=BudgetLimits)
    ranking: RankingConfig = field(default_factory=RankingConfig)
    models: ModelChoice = field(default_factory=ModelChoice)
    ranked_files: int = 20
    proofs: int = 12
    reproduce_runs: int = 3
    proof_runs: int = 10
    proof_seconds: float = 60.0
    test_seconds: float = 900.0
    refine_rounds: int = 3
    candidates: int = 12
