"""The composition root of a repair: here, and only here, ports of the agent meet their adapters."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.rules.registry import RULES
from agent.sandbox.config import Backend, SandboxConfig
from agent.sandbox.select import open_sandbox
from agent.toolchains.registry import toolchains
from agent.workflow.budget import Budget
from agent.workflow.sources import RuleCandidates, SnippetProofs
from agent.workflow.state import Tools
from bot.ranking import ReportRanker

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
    """What outlives a single run: the sandbox, the toolchains with their caches, the place for copies."""

    settings: Settings
    sandbox: Sandbox
    toolchains: Sequence[Toolchain]

    def scratch(self) -> Path:
        """Return the folder for private copies."""
        folder = self.settings.cache_dir / "runs"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def tools(self, job: Repair, workspace: Workspace, observer: Observer, trajectory: Trajectory) -> Tools:
        """Return the tools of one run."""
        return Tools(
            workspace=workspace,
            sandbox=self.sandbox,
            toolchains=self.toolchains,
            ranker=ReportRanker(source=job.history or job.project),
            proof_sources=(SnippetProofs(),),
            candidate_sources=(RuleCandidates(rules=RULES),),
            rules=RULES,
            trajectory=trajectory,
            observer=observer,
            budget=Budget(limits=job.config.budget, clock=SystemClock()),
            config=job.config,
        )


def open_workshop(settings: Settings, *, unsafe: bool = False) -> Workshop:
    """Open the sandbox and the toolchains; raise ``SandboxUnavailableError`` when no backend works."""
    sandbox = open_sandbox(sandbox_config(settings, unsafe=unsafe))
    return Workshop(settings=settings, sandbox=sandbox, toolchains=toolchains(settings.cache_dir))


def sandbox_config(settings: Settings, *, unsafe: bool = False) -> SandboxConfig:
    """Return the sandbox's configuration as the operator wants it."""
    backend = Backend.UNSAFE if unsafe else Backend(settings.sandbox)
    return SandboxConfig(backend=backend, cache=settings.cache_dir, environment=settings.passed_on)
