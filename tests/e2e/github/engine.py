"""A scripted engine with a script for each repository, so that one App can serve many tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.fakes.engine import ScriptedEngine

if TYPE_CHECKING:
    from agent.domain.run import RunResult
    from bot.ports import RepairRequest
    from handlers.intents import Repository


@dataclass(slots=True)
class EngineByRepository:
    """Hands each request to the script of its repository, which the mirror's name tells."""

    scripts: dict[int, ScriptedEngine] = field(default_factory=dict)

    def of(self, repository: Repository) -> ScriptedEngine:
        """Return the script of a repository."""
        return self.scripts.setdefault(repository.id, ScriptedEngine())

    async def repair(self, request: RepairRequest) -> RunResult:
        """Do as told for this repository."""
        number = int(request.checkout.mirror.name.removesuffix(".git"))
        return await self.scripts.setdefault(number, ScriptedEngine()).repair(request)
