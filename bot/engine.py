"""The repair engine of the jobs: the same repair as on the command line, on a checkout of the App."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.progress import SilentProgress
from bot.repair import Repair, repair

if TYPE_CHECKING:
    from agent.config import RunConfig
    from agent.domain.run import RunResult
    from bot.compose import Workshop
    from bot.ports import RepairRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkshopEngine:
    """Runs each request in the operator's workshop, as the repository's configuration says.

    Rules read no feedback: without a model, a refined run is the same run on the newer commit.
    """

    workshop: Workshop

    async def repair(self, request: RepairRequest) -> RunResult:
        """Run the stages and write the files to ``request.out``; cancelling stops the run at once."""
        job = Repair(
            project=request.checkout.tree,
            report=request.report,
            out=request.out,
            config=_as_asked(request),
            run_id=request.run_id,
            feedback=request.feedback,
            history=request.checkout.mirror,
        )
        done = await repair(job, self.workshop, request.observer or SilentProgress())
        return done.result


def _as_asked(request: RepairRequest) -> RunConfig:
    """Return the repository's configuration with the depth and the model that were asked for."""
    config = dataclasses.replace(request.config, depth=request.depth)
    if not request.model:
        return config
    return dataclasses.replace(config, models=dataclasses.replace(config.models, author=request.model))
