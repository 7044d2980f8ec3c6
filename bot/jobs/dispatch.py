"""Which intent is carried out by whom; who asks is checked first, in this one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.jobs import (
    advising,
    answering,
    configuring,
    controlling,
    indexing,
    installing,
    recording,
    refining,
    starting,
)
from bot.jobs.permission import is_allowed
from handlers.intents import (
    AdvisoryBroadcast,
    ApproveRun,
    Ask,
    CancelRun,
    CheckConfig,
    InstallationChange,
    Intent,
    RecordFeedback,
    RefineRun,
    Reindex,
    RejectCommand,
    StartRun,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import AnyIntent

ACTIONS: Mapping[type, Callable[[Journal, Services, Any, str], Awaitable[None]]] = {
    StartRun: starting.start,
    RefineRun: refining.refine,
    CancelRun: controlling.stop,
    ApproveRun: controlling.approve,
    Ask: answering.answer,
    RejectCommand: answering.reject,
    RecordFeedback: recording.record,
    Reindex: indexing.reindex,
    CheckConfig: configuring.check,
    InstallationChange: installing.change,
    AdvisoryBroadcast: advising.broadcast,
}


async def act(journal: Journal, services: Services, intent: AnyIntent, key: str) -> None:
    """Carry out one intent; ``key`` is unique to it and the same after a restart."""
    if isinstance(intent, Intent) and not await is_allowed(journal, services, intent, key):
        return
    await ACTIONS[type(intent)](journal, services, intent, key)
