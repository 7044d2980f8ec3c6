"""Takes verified deliveries into the database: deduplicated and enqueued in one transaction.

A durable commit costs a disk flush. Deliveries that arrive while one is under way share the next, so a burst
costs a few flushes, not one each; each sender is answered only after the commit that holds its delivery.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.faults import Faults
    from bot.store.deliveries import Delivery

BATCH = 512

log = structlog.get_logger(__name__)


class Intake:
    """One writer for all requests of the process."""

    def __init__(self, accept: Callable[[Sequence[Delivery]], frozenset[str]], faults: Faults) -> None:
        self._accept = accept
        self._faults = faults
        self._waiting: list[tuple[Delivery, asyncio.Future[bool]]] = []
        self._task: asyncio.Task[None] | None = None

    async def take(self, delivery: Delivery) -> bool:
        """Return whether the delivery was new, once it is safe on disk; raise what the database raised."""
        await self._faults.reach("webhook.verified")
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((delivery, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())
        fresh = await done
        await self._faults.reach("webhook.stored")
        return fresh

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            await self._commit(batch)

    async def _commit(self, batch: list[tuple[Delivery, asyncio.Future[bool]]]) -> None:
        try:
            fresh = await asyncio.to_thread(self._accept, [delivery for delivery, _ in batch])
        except Exception as error:  # noqa: BLE001  # whatever it is, each sender must hear of it
            await self._one_by_one(batch, error)
            return
        for delivery, done in batch:
            first = delivery.guid in fresh
            fresh -= {delivery.guid}
            _settle(done, first)

    async def _one_by_one(self, batch: list[tuple[Delivery, asyncio.Future[bool]]], error: Exception) -> None:
        """Keep one bad delivery from failing those that shared its transaction."""
        if len(batch) == 1:
            log.error("delivery_not_stored", delivery_id=batch[0][0].guid, error=type(error).__name__)
            if not batch[0][1].done():
                batch[0][1].set_exception(error)
            return
        for single in batch:
            await self._commit([single])


def _settle(done: asyncio.Future[bool], fresh: bool) -> None:  # noqa: FBT001  # the future's own value
    if not done.done():
        done.set_result(fresh)
