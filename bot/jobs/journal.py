"""The durable record of one workflow, as its body sees it; and how a step's failure is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bot.errors import BotError, GitHubError, RepositoryGoneError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

TRIES = 6
CALL_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What is recorded of a failed step; ``wait`` is what the other side asked for, in seconds."""

    message: str
    kind: str = ""
    status: int | None = None
    retryable: bool = False
    gone: bool = False
    wait: float = 0.0


class StepFailedError(BotError):
    """A step failed for a reason the workflow may act on; the same after a restart.

    ``kind`` names the error that was raised; ``status`` is GitHub's answer where there was one; ``gone``
    tells that the repository is no more.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.kind = failure.kind
        self.status = failure.status
        self.gone = failure.gone


def failure_of(error: Exception) -> Failure | None:
    """Return how an error is recorded; None for one that is a mistake in the program. Pure."""
    if isinstance(error, GitHubError):
        return Failure(
            message=str(error),
            kind=type(error).__name__,
            status=error.status,
            retryable=error.retryable,
            gone=isinstance(error, RepositoryGoneError),
            wait=error.retry_after or 0.0,
        )
    if isinstance(error, TimeoutError):
        return Failure(message="timed out", kind="TimeoutError", retryable=True)
    retryable = getattr(error, "retryable", None)
    if retryable is None:
        return None
    return Failure(message=str(error), kind=type(error).__name__, retryable=bool(retryable))


def delay(attempt: int, wait: float) -> float:
    """Return the seconds before the next try: what was asked for, else 2, 8, 32, 128, 300. Pure."""
    return max(wait, min(2.0 * 4.0 ** (attempt - 1), 300.0))


class Journal(Protocol):
    """Runs steps once each: a finished one is not run again after a crash, an interrupted one is."""

    async def step(
        self,
        name: str,
        call: Callable[[], Awaitable[Any]],
        *,
        seconds: float = CALL_SECONDS,
        tries: int = TRIES,
    ) -> Any:
        """Return what ``call`` returned, a JSON value; raise ``StepFailedError``.

        ``call`` is stopped at once when the workflow is cancelled, and after ``seconds``.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One workflow to enqueue: ``id`` makes it one, ``partition`` holds it behind others of its kind.

    ``key`` is its only argument; a lower ``priority`` runs first, 0 is none.
    """

    workflow: str
    queue: str
    id: str
    key: str
    partition: str = ""
    priority: int = 0
