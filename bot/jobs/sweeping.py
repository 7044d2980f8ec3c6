"""What is done from time to time: lost deliveries asked for again, old data dropped, stuck runs ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.errors import GitHubError
from bot.jobs.services import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.jobs.services import Services

DAY = 86_400.0
LONGEST_WINDOW = 3 * DAY
"""GitHub keeps deliveries for three days."""

OVERLAP = 900.0
MARK = "redelivered"

log = structlog.get_logger(__name__)


async def redeliver(services: Services) -> int:
    """Ask GitHub to send again what did not arrive since the last look; return how many were asked for.

    What arrives twice is known by its GUID. The mark moves only when all went well.
    """
    now = services.now()
    since = await in_thread(services.store.slots.marked, MARK)
    window = min(now - since + OVERLAP, LONGEST_WINDOW)
    try:
        lost = await services.github.failed_deliveries(window)
        for delivery in lost:
            await services.github.redeliver(delivery)
    except GitHubError as error:
        log.warning("redelivery_failed", error=str(error), status=error.status)
        return 0
    await in_thread(services.store.slots.mark, MARK, now)
    if lost:
        log.info("redelivery_asked", deliveries=len(lost))
    return len(lost)


def clean(services: Services, purge: Callable[[float], int]) -> dict[str, int]:
    """Drop old payloads, ended workflows and artifacts nobody names; return how many of each."""
    now, operator = services.now(), services.operator
    dropped = {
        "payloads": services.store.deliveries.drop_payloads(before=now - operator.payload_days * DAY),
        "runs": services.store.runs.drop(before=now - operator.run_days * DAY),
        "workflows": purge(now - operator.payload_days * DAY),
    }
    dropped["artifacts"] = services.artifacts.keep_only(services.store.runs.digests(), older_than=now - DAY)
    log.info("swept", **dropped)
    return dropped
