"""The composition root of a repair: here, and only here, ports of the agent meet their adapters."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.authoring import ModelCandidates
from agent.domain.conversation import ModelRole
from agent.llm.config import EndpointConfig
from agent.llm.desk import ModelDesk
from agent.reproducing import ModelProofs
from agent.rules.registry import RULES
from agent.sandbox.config import Backend, SandboxConfig
from agent.sandbox.select import open_sandbox
from agent.toolchains.registry import toolchains
from agent.workflow.budget import Budget
from agent.workflow.sources import RuleCandidates, SnippetProofs
from agent.workflow.state import Tools
from bot.indexing import index_of, project_folder
from bot.ranking import ReportRanker, has_history
from retrieval.embedders import EmbedderConfig, EmbedderKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from agent.config import ModelChoice
    from agent.ports import Observer, Sandbox, Toolchain, Trajectory
    from agent.workspace import Workspace
    from bot.repair import Repair
    from bot.settings import Settings


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What outlives a single run: the sandbox, the caches of the toolchains, the place for copies."""

    settings: Settings
    sandbox: Sandbox

    def toolchains(self, job: Repair) -> Sequence[Toolchain]:
        """Return the toolchains with the caches of the job's own project.

        What a project installs may write into its package cache, and files that no manifest names decide what
        an environment becomes: with a cache for all, one project could choose what another one runs.
        """
        return self.toolchains_of(self.project_folder(job).name)

    def toolchains_of(self, name: str) -> Sequence[Toolchain]:
        """Return the toolchains with the caches of one owner; a bench's cases are one."""
        return toolchains(self.settings.cache_dir / "projects" / name)

    def project_folder(self, job: Repair) -> Path:
        """Return the cache folder of the job's own project."""
        return project_folder(self.settings.cache_dir, job.history or job.project)

    def ranker(self, job: Repair) -> ReportRanker:
        """Return the ranking of the job's own project, with its index where it has a history."""
        source = job.history or job.project
        return ReportRanker(
            source=source,
            index=index_of(self.project_folder(job)) if has_history(source) else None,
            config=job.config.ranking,
            embedder=embedder_config(self.settings),
        )

    def scratch(self) -> Path:
        """Return the folder for private copies."""
        folder = self.settings.cache_dir / "runs"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def tools(self, job: Repair, workspace: Workspace, observer: Observer, trajectory: Trajectory) -> Tools:
        """Return the tools of one run."""
        budget = Budget(limits=job.config.budget, clock=SystemClock())
        return Tools(
            workspace=workspace,
            sandbox=self.sandbox,
            toolchains=self.toolchains(job),
            ranker=self.ranker(job),
            proof_sources=(SnippetProofs(), ModelProofs()),
            candidate_sources=(RuleCandidates(rules=RULES), ModelCandidates()),
            rules=RULES,
            trajectory=trajectory,
            observer=observer,
            budget=budget,
            config=job.config,
            models=None if job.offline else model_desk(self.settings, job.config.models, budget, trajectory),
        )


def open_workshop(settings: Settings, *, unsafe: bool = False) -> Workshop:
    """Open the sandbox; raise ``SandboxUnavailableError`` when no backend works."""
    return Workshop(settings=settings, sandbox=open_sandbox(sandbox_config(settings, unsafe=unsafe)))


def sandbox_config(settings: Settings, *, unsafe: bool = False) -> SandboxConfig:
    """Return the sandbox's configuration as the operator wants it."""
    backend = Backend.UNSAFE if unsafe else Backend(settings.sandbox)
    return SandboxConfig(backend=backend, cache=settings.cache_dir, environment=settings.passed_on)


def model_desk(
    settings: Settings, choice: ModelChoice, budget: Budget, trajectory: Trajectory
) -> ModelDesk | None:
    """Return the desk with the models of the operator, or of the run where it names others; None without any."""
    author = choice.author or settings.model
    if not author:
        return None
    from agent.llm.endpoint import EndpointModel  # noqa: PLC0415 - the SDK costs a second, most runs need it not

    reviewer = choice.reviewer or settings.model_reviewer or author
    config = EndpointConfig(
        url=settings.model_base_url,
        key=settings.model_api_key.get_secret_value(),
        prices=settings.model_prices,
        seconds=settings.model_seconds,
    )
    models = {name: EndpointModel(name=name, config=config) for name in {author, reviewer}}
    return ModelDesk(
        models={
            ModelRole.AUTHOR: (models[author],),
            ModelRole.JUDGE: (models[author],),
            ModelRole.REVIEWER: (models[reviewer],),
        },
        budget=budget,
        trajectory=trajectory,
    )


def embedder_config(settings: Settings) -> EmbedderConfig:
    """Return the embedder of past issues as the operator wants it."""
    return EmbedderConfig(
        kind=EmbedderKind(settings.embedder),
        model=settings.embedder_model,
        url=settings.embedder_url,
        key=settings.embedder_api_key.get_secret_value(),
    )
