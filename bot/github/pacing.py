"""Good manners towards GitHub: one write a second for each installation, and silence when told to wait.

Source: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import GitHubError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

READS = frozenset({"GET", "HEAD"})
WRITE_TURN_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RateBudget:
    """What GitHub last said of an installation's primary limit; ``resets_at`` in seconds since the epoch."""

    limit: int = 0
    remaining: int = 0
    resets_at: int = 0


class Pace:
    """The queue of one installation: writes are taken one at a time, with a pause between their ends."""

    def __init__(
        self,
        *,
        write_seconds: float,
        patience: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.budget = RateBudget()
        self._write_seconds = write_seconds
        self._patience = patience
        self._clock = clock
        self._sleep = sleep
        self._writing = threading.Lock()
        self._next_write = 0.0
        self._silent_until = 0.0

    def begin(self, verb: str) -> None:
        """Wait for the turn of a request; raise a retryable ``GitHubError`` when that would take too long."""
        if verb not in READS and not self._writing.acquire(timeout=WRITE_TURN_SECONDS):
            raise GitHubError("the queue of writes is too long", status=None, retryable=True)
        try:
            self._wait(self._silent_until if verb in READS else max(self._silent_until, self._next_write))
        except BaseException:
            self._release(verb)
            raise

    def end(self, verb: str) -> None:
        """Give the turn back."""
        if verb not in READS:
            self._next_write = self._clock() + self._write_seconds
        self._release(verb)

    def silence(self, seconds: float) -> None:
        """Ask nothing more for so long: GitHub said so."""
        self._silent_until = max(self._silent_until, self._clock() + seconds)

    def note(self, headers: Mapping[str, str]) -> None:
        """Keep what the rate headers of an answer say."""
        try:
            self.budget = RateBudget(
                limit=int(headers["x-ratelimit-limit"]),
                remaining=int(headers["x-ratelimit-remaining"]),
                resets_at=int(headers["x-ratelimit-reset"]),
            )
        except (KeyError, ValueError):
            return

    def _release(self, verb: str) -> None:
        if verb not in READS:
            self._writing.release()

    def _wait(self, until: float) -> None:
        seconds = until - self._clock()
        if seconds > self._patience:
            raise GitHubError(
                "GitHub asked for a pause", status=429, retryable=True, retry_after=round(seconds, 1)
            )
        if seconds > 0:
            self._sleep(seconds)


class Paces:
    """The pace of every installation; number 0 stands for the App itself."""

    def __init__(self, make: Callable[[], Pace]) -> None:
        self._make = make
        self._paces: dict[int, Pace] = {}
        self._lock = threading.Lock()

    def of(self, installation: int) -> Pace:
        """Return the one pace of an installation."""
        with self._lock:
            return self._paces.setdefault(installation, self._make())

    def budgets(self) -> Iterator[tuple[int, RateBudget]]:
        """Yield installation and budget, for the metrics."""
        with self._lock:
            known = tuple(self._paces.items())
        for installation, pace in known:
            yield installation, pace.budget
