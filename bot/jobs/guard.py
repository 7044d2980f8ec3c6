"""The job runner's one broad ``except``: whatever goes wrong in a workflow becomes a recorded ending."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.jobs.journal import Failure, StepFailedError, failure_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

log = structlog.get_logger(__name__)


async def guarded(work: Awaitable[None], give_up: Callable[[StepFailedError], Awaitable[None]]) -> None:
    """Do the work; end it with ``give_up`` when it fails, be it by a refusal or by a mistake of ours."""
    try:
        await work
    except StepFailedError as error:
        await give_up(error)
    except Exception as error:
        failure = failure_of(error)
        if failure is None:
            log.exception("workflow_failed")
            name = type(error).__name__
            failure = Failure(message=f"internal error ({name})", kind=name)
        await give_up(StepFailedError(failure))
