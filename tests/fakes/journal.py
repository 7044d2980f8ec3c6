"""A journal and queues without an engine: steps run at once, enqueued jobs when the test says so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.jobs.journal import CALL_SECONDS, TRIES, StepFailedError, failure_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    import sqlalchemy as sa

    from bot.jobs.journal import Job, Journal


@dataclass(slots=True)
class PlainJournal:
    """Runs each step once, again when it may work later, without waiting; remembers the names."""

    names: list[str] = field(default_factory=list)

    async def step(
        self,
        name: str,
        call: Callable[[], Awaitable[Any]],
        *,
        seconds: float = CALL_SECONDS,
        tries: int = TRIES,
    ) -> Any:
        """Run a step."""
        self.names.append(name)
        for attempt in range(1, tries + 1):
            try:
                return await call()
            except Exception as error:
                failure = failure_of(error)
                if failure is None:
                    raise
                if not failure.retryable or attempt == tries:
                    raise StepFailedError(failure) from None
        raise AssertionError


@dataclass(slots=True)
class PlainQueues:
    """Holds jobs in the order in which the real queues hand them out."""

    bodies: dict[str, Callable[[Journal, str], Awaitable[None]]] = field(default_factory=dict)
    waiting: list[Job] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    cancelled: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    steps: Counter[str] = field(default_factory=Counter)

    def enqueue(self, _connection: sa.Connection, job: Job) -> None:
        """Hold a job; the same id only once."""
        if job.id not in self.known:
            self.known.add(job.id)
            self.waiting.append(job)

    async def cancel(self, ids: Sequence[str]) -> None:
        """Drop jobs that wait."""
        self.cancelled.extend(ids)
        self.waiting = [job for job in self.waiting if job.id not in ids]

    async def drain(self) -> None:
        """Run all jobs, and those they enqueue, by priority."""
        while self.waiting:
            await self.run_next()

    async def run_next(self) -> None:
        """Run the job whose turn it is."""
        job = min(self.waiting, key=lambda one: one.priority)
        self.waiting.remove(job)
        self.ran.append(job.id)
        journal = PlainJournal()
        await self.bodies[job.workflow](journal, job.key)
        self.steps.update(journal.names)


def register(queues: PlainQueues, bodies: Mapping[str, Callable[[Journal, str], Awaitable[None]]]) -> None:
    """Tell the queues how to run jobs."""
    queues.bodies.update(bodies)
