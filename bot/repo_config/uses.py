"""What the other packages are told of a repository's configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.config import TOKENS, BudgetLimits, ModelChoice, RankingConfig, RunConfig
from agent.domain.project import BuildConfig
from agent.patches.scope import ScopeLimits
from bot.repo_config.model import PATH
from bot.repo_config.reading import Operator
from handlers.intents import Permission
from handlers.triggers import TriggerConfig

if TYPE_CHECKING:
    from agent.domain.run import Depth
    from bot.repo_config.model import RepoConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class AppIdentity:
    """Who Suture is on this GitHub, and the bots its operator trusts everywhere."""

    app_id: int
    slug: str
    trusted_bots: frozenset[int] = frozenset()


def trigger_config(
    config: RepoConfig, identity: AppIdentity, operator: Operator | None = None
) -> TriggerConfig:
    """Return what the handlers need to know."""
    return TriggerConfig(
        enabled=config.enabled,
        labels=frozenset(config.triggers.labels),
        advisories=frozenset(config.triggers.advisories),
        code_scanning=config.triggers.code_scanning,
        dependabot=config.triggers.dependabot,
        permission=Permission(config.commands.permission.value),
        trusted_bots=frozenset(config.commands.bots) | identity.trusted_bots,
        models=(operator or Operator()).models,
        release_branches=config.branches.release,
        app_id=identity.app_id,
        app_slug=identity.slug,
        config_path=PATH,
    )


def run_config(config: RepoConfig, depth: Depth | None = None, operator: Operator | None = None) -> RunConfig:
    """Return how a run works here; every bound is the lower of the repository's and the operator's."""
    bounds, limits, build = operator or Operator(), config.limits, config.build
    return RunConfig(
        depth=depth or config.models.depth,
        build=BuildConfig(
            install=build.install,
            packages=build.packages,
            build=build.build,
            test=build.test,
            python=build.python,
            node=build.node,
        ),
        scope=ScopeLimits(files=limits.files, lines=limits.lines, protected=config.paths.protected),
        budget=BudgetLimits(
            minutes=_lower(limits.minutes, bounds.minutes),
            money=_lower(limits.money, bounds.money),
            tokens=int(_lower(limits.tokens, bounds.tokens) or TOKENS[depth or config.models.depth]),
        ),
        ranking=RankingConfig(
            alpha=config.retrieval.alpha, include=config.paths.include, exclude=config.paths.exclude
        ),
        models=ModelChoice(author=config.models.author, reviewer=config.models.reviewer),
        ranked_files=config.retrieval.top_k,
    )


def _lower(one: float | None, other: float | None) -> float | None:
    given = [value for value in (one, other) if value is not None]
    return min(given, default=None)
