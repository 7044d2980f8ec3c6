"""Installed, suspended, removed: what is known of a repository goes when Suture may no longer see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.jobs.controlling import cancel_runs
from bot.jobs.services import in_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import InstallationChange, Repository

log = structlog.get_logger(__name__)


async def change(journal: Journal, services: Services, intent: InstallationChange, _key: str) -> None:
    """Follow what GitHub says of an installation."""

    async def follow() -> None:
        log.info("installation_changed", installation_id=intent.installation_id, what=intent.what)
        if intent.what == "deleted":
            await _delete(services, intent)
        elif intent.what in {"suspend", "unsuspend"}:
            await _suspend(services, intent.installation_id, suspended=intent.what == "suspend")
        else:
            await _grow(services, intent)
            await _forget(services, intent.removed)

    await journal.step("installation", follow, seconds=600.0)


async def _grow(services: Services, intent: InstallationChange) -> None:
    store = services.store.repositories
    await in_thread(store.install, intent.installation_id, intent.account, services.now())
    for repository in intent.added:
        await in_thread(store.see, repository, services.now())


async def _suspend(services: Services, installation_id: int, *, suspended: bool) -> None:
    await in_thread(services.store.repositories.suspend, installation_id, suspended=suspended)
    if suspended:
        active = await in_thread(services.store.runs.active, installation_id=installation_id)
        await cancel_runs(services, active, "the installation was suspended")


async def _delete(services: Services, intent: InstallationChange) -> None:
    known = await in_thread(services.store.repositories.of_installation, intent.installation_id)
    await _forget(services, known)
    await in_thread(services.store.repositories.forget, (), intent.installation_id)


async def _forget(services: Services, repositories: Sequence[Repository]) -> None:
    """Stop what runs, remove mirrors and indexes, delete rows; artifacts go with the next sweep."""
    for repository in repositories:
        active = await in_thread(services.store.runs.active, repository_id=repository.id)
        await cancel_runs(services, active, "Suture was removed from the repository")
        await services.checkouts.drop(repository)
        await services.indexer.drop(repository)
        await in_thread(services.store.repositories.forget, (repository.id,))
