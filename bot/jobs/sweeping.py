"""What is done from time to time: lost deliveries asked for again, old data dropped, stuck runs ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from agent.domain.run import Outcome
from bot.errors import GitHubError
from bot.jobs.names import job_ids
from bot.jobs.services import in_thread
from bot.store.runs import UNFINISHED, RunState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.jobs.services import Services

DAY = 86_400.0
LONGEST_WINDOW = 3 * DAY
"""GitHub keeps deliveries for three days."""

OVERLAP = 900.0
MARK = "redelivered"
STUCK_SECONDS = 600.0

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


def mend(services: Services, unfinished: Callable[[Sequence[str]], frozenset[str]]) -> int:
    """End runs that no job works on any more, so that they do not bar their subject for ever; return how many."""
    old = services.now() - STUCK_SECONDS
    ended = 0
    for run in services.store.runs.active():
        if run.state is RunState.WAITING or max(run.created_at, run.started_at) > old:
            continue
        if not unfinished(job_ids(run.id)):
            values = {"outcome": Outcome.ERROR.value, "reason": "its job ended without a result"}
            states = UNFINISHED - {RunState.WAITING}
            done = {"state": RunState.FINISHED, "finished_at": services.now()}
            ended += services.store.runs.change(run.id, states, **values, **done)
            log.error("run_was_stuck", run_id=run.id, state=run.state.value)
    return ended


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
