"""A branch moved: the mirror and the index follow, so that the next run starts fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.jobs.journal import StepFailedError
from bot.jobs.services import in_thread

if TYPE_CHECKING:
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import Reindex

SECONDS = 1800.0

log = structlog.get_logger(__name__)


async def reindex(journal: Journal, services: Services, intent: Reindex, _key: str) -> None:
    """Update the index of a branch. A failure costs time at the next run, nothing else."""

    async def update() -> None:
        await in_thread(services.store.repositories.see, intent.repository, services.now())
        checkout = await services.checkouts.export(intent.repository, intent.branch, intent.head_sha)
        try:
            await services.indexer.update(intent.repository, checkout)
        finally:
            await services.checkouts.release(checkout)

    try:
        await journal.step("reindex", update, seconds=SECONDS, tries=2)
    except StepFailedError as error:
        log.warning("index_not_updated", repository_id=intent.repository.id, error=str(error))
