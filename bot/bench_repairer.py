"""Suture itself as the bench sees it: the same repair as on the command line, its patch and its record."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from agent.config import TOKENS, BudgetLimits, ModelChoice, RunConfig
from agent.domain.matrix import RowKind
from bot.compose import Workshop
from bot.errors import BotError, SettingsError
from bot.output.folder import TRAJECTORY
from bot.progress import SilentProgress
from bot.repair import Repair, repair
from evaluation.errors import EvaluationError
from evaluation.ports import RepairAnswer, RepairerFacts
from evaluation.repair.baseline import TEMPLATES, CommandRepairer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from agent.domain.run import RunResult
    from agent.ports import Toolchain
    from evaluation.ports import Repairer, RepairTask

MOST_TRAJECTORY = 50_000_000
CACHE = "bench"
"""Whose caches a bench uses: its cases are given by the operator and lie elsewhere in every run."""


class BenchWorkshop(Workshop):
    """The operator's workshop with one set of caches for all trees of a bench."""

    def toolchains(self, job: Repair) -> Sequence[Toolchain]:
        """Return the toolchains of the bench, wherever the job's tree lies."""
        del job
        return self.toolchains_of(CACHE)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkshopRepairer:
    """Repairs in the operator's workshop. ``revision`` tells versions of the program apart."""

    workshop: Workshop
    revision: str = ""
    model: str = ""

    @property
    def facts(self) -> RepairerFacts:
        """Return who repairs."""
        return RepairerFacts(
            name=f"Suture, {self.model}" if self.model else "Suture, offline rules",
            version=" ".join(filter(None, (version("suture"), self.revision))),
            tools=("rules over the ranked files", "reporter's proof", "project's own tests"),
            network="none but package registries while dependencies are installed",
            sandbox=self.workshop.sandbox.name,
        )

    async def repair(self, task: RepairTask) -> RepairAnswer:
        """Run the whole workflow on the task's tree."""
        job = Repair(
            project=task.tree,
            report=task.report,
            out=task.out,
            config=RunConfig(
                build=task.build,
                depth=task.depth,
                budget=BudgetLimits(minutes=task.minutes, tokens=TOKENS[task.depth]),
                models=ModelChoice(author=self.model),
            ),
            offline=not self.model,
        )
        try:
            done = await repair(job, self.workshop, SilentProgress())
        except BotError as error:
            raise EvaluationError(str(error)) from None
        return _answer(done.result, _text(task.out / TRAJECTORY))


def choose_repairer(workshop: Workshop, *, baseline: str, model: str) -> Repairer:
    """Return Suture, or the agent that ``baseline`` names (or gives as a command template).

    Raises ``SettingsError`` when the agent has no model to work with. Its process gets the search path, where
    packages come from, and the model's address and key; its commands in the sandbox get none of it.
    """
    if not baseline:
        own = BenchWorkshop(settings=workshop.settings, sandbox=workshop.sandbox)
        return WorkshopRepairer(workshop=own, model=model)
    settings = workshop.settings
    chosen = model or settings.model
    if not chosen or not settings.model_base_url:
        raise SettingsError(
            "a baseline needs --model and OPENAI_BASE_URL, and OPENAI_API_KEY where it is asked for"
        )
    key = settings.model_api_key.get_secret_value() or "none"
    return CommandRepairer(
        name=baseline if baseline in TEMPLATES else "command",
        template=TEMPLATES.get(baseline, baseline),
        model=chosen,
        sandbox=workshop.sandbox,
        toolchains=workshop.toolchains_of(CACHE),
        scratch=workshop.scratch(),
        environment={
            **settings.passed_on,
            "PATH": os.environ.get("PATH", os.defpath),
            "OPENAI_BASE_URL": settings.model_base_url,
            "OPENAI_API_BASE": settings.model_base_url,
            "OPENAI_API_KEY": key,
        },
    )


def _answer(result: RunResult, trajectory: str) -> RepairAnswer:
    refused = (
        next((row for row in result.matrix.failing if row.kind is RowKind.REVIEW), None)
        if result.matrix
        else None
    )
    return RepairAnswer(
        outcome=result.outcome,
        reason=result.reason,
        changes=result.candidate.changes if result.candidate else {},
        ranked=tuple(file.path for file in result.files),
        reproduced=result.proof is not None,
        refused_by="review" if refused else "",
        cost=result.cost,
        trajectory=trajectory,
        source=result.candidate.source if result.candidate else "",
    )


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MOST_TRAJECTORY).decode("utf-8", "replace")
    except OSError as error:
        raise EvaluationError(f"the record of a run cannot be read: {error.strerror}") from None
