"""The check of a refinement while it is on: it says on the pull request which stage the run is in.

Shown as far as GitHub lets it: what cannot be said is logged, and the run goes on. A fresh run has no commit of its
own yet, so it has no check before its pull request; its sticky comment says that it is at work.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from bot.errors import GitHubError
from bot.jobs import wording
from bot.store.runs import RunKind

if TYPE_CHECKING:
    from agent.domain.run import Stage, StageRecord
    from bot.jobs.services import Services
    from bot.store.runs import Run
    from handlers.intents import Repository

log = structlog.get_logger(__name__)


@dataclass(slots=True, kw_only=True)
class StageWatcher:
    """An observer of a run that keeps its check up to date; several changes at once become one write."""

    services: Services
    repository: Repository
    run: Run
    _records: list[StageRecord] = field(default_factory=list)
    _current: str = ""
    _writing: asyncio.Task[None] | None = None
    _changed: bool = False

    @property
    def shows(self) -> bool:
        """Tell whether there is a public commit to show anything on."""
        return self.run.kind is RunKind.REFINE and bool(self.run.expected_head) and not self.run.private

    def started(self, stage: Stage) -> None:
        """Show that a stage began."""
        self._current = stage.value
        self._show()

    def finished(self, record: StageRecord) -> None:
        """Keep what a stage found; it is shown with the next one."""
        self._records.append(record)

    def note(self, text: str) -> None:
        """Leave single notes to the trajectory."""

    async def end(self) -> None:
        """Wait for a write that is under way: the conclusion must come after it."""
        self._changed = False
        if self._writing is not None:
            await asyncio.gather(self._writing, return_exceptions=True)

    def _show(self) -> None:
        if not self.shows:
            return
        self._changed = True
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        while self._changed:
            self._changed = False
            try:
                await self.services.github.check(
                    self.repository,
                    self.run.expected_head,
                    self.run.id,
                    status="in_progress",
                    title=wording.at_work(self._current),
                    summary=wording.so_far(self._records),
                )
            except GitHubError as error:
                log.warning("progress_not_shown", status=error.status)
