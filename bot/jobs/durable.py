"""DBOS: queues, durable steps, recovery. The only module that imports it.

Each setting here answers a measured trap: a pinned version (the default strands jobs at each redeploy); JSON
instead of pickle; ``global_concurrency`` beside ``partition_concurrency`` (without it two workers can run two
jobs of one repository); steps that end when their workflow is cancelled; takeover of a dead worker's jobs.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import structlog
from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer

from bot.jobs.journal import CALL_SECONDS, TRIES, Failure, StepFailedError, delay, failure_of
from bot.store.database import build_durable_engine
from bot.telemetry import span

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    import sqlalchemy as sa
    from dbos import DBOSConfig, EnqueueOptions

    from bot.faults import Faults
    from bot.jobs.journal import Job, Journal
    from bot.telemetry import Metrics

    Body = Callable[[Journal, str], Awaitable[None]]

APPLICATION = "suture"
VERSION = "suture-workflows-1"
"""Changed only when a workflow's steps change so that a running one cannot go on."""

MANY = 1000
RECOVERIES = 50

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """How many jobs of one kind run at once: in this process, and of one partition anywhere."""

    name: str
    here: int
    per_partition: int | None = None
    poll_seconds: float = 0.25


class DurableJobs:
    """The job engine of this process. ``launch`` and ``close`` block; call them in a worker thread."""

    def __init__(self, url: str, *, faults: Faults, metrics: Metrics) -> None:
        self._url = url
        self._faults = faults
        self._metrics = metrics
        self._client: DBOSClient | None = None
        self._engines: list[sa.Engine] = []

    def prepare(self) -> None:
        """Create or update the engine's tables and be able to enqueue; enough for a process without jobs."""
        DBOS.migrate(_plain(self._url))
        engine = self._engine()
        self._client = DBOSClient(
            system_database_url=None if engine else _plain(self._url),
            system_database_engine=engine,
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
        )

    def launch(self, slot: str, bodies: Mapping[str, Body], queues: Sequence[Queue]) -> None:
        """Start to work under a slot's name: its own interrupted jobs go on first."""
        quiet_cancellations()
        config: DBOSConfig = {
            "name": APPLICATION,
            "application_version": VERSION,
            "executor_id": slot,
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "WARNING",
            "run_migrations": False,
        }
        if engine := self._engine():
            config["system_database_engine"] = engine
        config["system_database_url"] = _plain(self._url)
        DBOS(config=config)
        for name, body in bodies.items():
            self._register(name, body)
        DBOS.launch()
        for queue in queues:
            DBOS.register_queue(
                queue.name,
                worker_concurrency=queue.here,
                global_concurrency=MANY,
                partition_concurrency=queue.per_partition,
                polling_interval_sec=queue.poll_seconds,
            )

    def close(self) -> None:
        """Stop working; what was interrupted goes on at the next launch of this slot."""
        DBOS.destroy(destroy_registry=True)
        if self._client:
            self._client.destroy()
        for engine in self._engines:
            engine.dispose()

    def enqueue(self, connection: sa.Connection, job: Job) -> None:
        """Enqueue inside the caller's transaction: both happen or neither; the same id only once."""
        options: EnqueueOptions = {
            "workflow_name": job.workflow,
            "queue_name": job.queue,
            "workflow_id": job.id,
            "app_version": VERSION,
        }
        if job.priority:
            options["priority"] = job.priority
        if job.partition:
            options["queue_partition_key"] = job.partition
        self._connected().enqueue_in_transaction(connection, options, job.key)

    async def cancel(self, ids: Sequence[str]) -> None:
        """Stop jobs: a waiting one never starts, a running step is ended within about a second."""
        await asyncio.to_thread(self._connected().cancel_workflows, list(ids))

    def adopt(self, slot: str) -> int:
        """Put a dead slot's jobs back on the queues they came from; return how many.

        Resuming on the same queue keeps them within its limits. The dead one, should it come back, can no
        longer record anything: the engine compares the owner of each row.
        """
        client = self._connected()
        stranded = client.list_workflows(status="PENDING", executor_id=slot, app_version=VERSION)
        for job in stranded:
            client.resume_workflow(job.workflow_id, queue_name=job.queue_name)
        return len(stranded)

    def purge(self, before: float) -> int:
        """Forget jobs that ended before a time; return how many.

        A forgotten id could run again, so the caller keeps its own record of what was done.
        """
        client = self._connected()
        limit = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(before))
        done = client.list_workflows(completed_before=limit, limit=MANY, load_input=False, load_output=False)
        if done:
            client.delete_workflows([job.workflow_id for job in done])
        return len(done)

    def unfinished(self, ids: Sequence[str] | None = None) -> frozenset[str]:
        """Return which jobs, of some or of all, wait or run."""
        found = self._connected().list_workflows(
            workflow_ids=None if ids is None else list(ids),
            status=["ENQUEUED", "PENDING", "DELAYED"],
            load_input=False,
            load_output=False,
        )
        return frozenset(job.workflow_id for job in found)

    def _register(self, name: str, body: Body) -> None:
        journal = _DurableJournal(self._faults, self._metrics)

        @DBOS.workflow(name=name, max_recovery_attempts=RECOVERIES)
        async def workflow(key: str) -> None:
            with span(f"workflow.{name}", key=key):
                await body(journal, key)

    def _engine(self) -> sa.Engine | None:
        """Return a SQLite engine that is ours to close; the library closes only its own."""
        engine = build_durable_engine(self._url)
        self._engines += [engine] if engine else []
        return engine

    def _connected(self) -> DBOSClient:
        if self._client is None:
            raise RuntimeError("prepare() comes first")
        return self._client


class _DurableJournal:
    """Steps recorded by DBOS. Failures are recorded as values, so that they read the same after a replay."""

    def __init__(self, faults: Faults, metrics: Metrics) -> None:
        self._faults = faults
        self._metrics = metrics

    async def step(
        self,
        name: str,
        call: Callable[[], Awaitable[Any]],
        *,
        seconds: float = CALL_SECONDS,
        tries: int = TRIES,
    ) -> Any:
        """Run a step; try again, after a durable wait, what may work later."""
        attempt = 1
        while True:
            options: Any = {"name": name, "preemptible": True}
            record = await DBOS.run_step_async(options, self._once, name, call, seconds)
            await self._faults.reach(f"{name}:recorded")
            if "failure" not in record:
                return record["value"]
            failure = Failure(**record["failure"])
            if not failure.retryable or attempt >= tries:
                raise StepFailedError(failure)
            await DBOS.sleep_async(delay(attempt, failure.wait))
            attempt += 1

    async def _once(self, name: str, call: Callable[[], Awaitable[Any]], seconds: float) -> dict[str, Any]:
        await self._faults.reach(f"{name}:begin")
        try:
            with span(f"step.{name}"), self._metrics.step_seconds.labels(step=name).time():
                async with asyncio.timeout(seconds):
                    value = await call()
        except Exception as error:
            failure = failure_of(error)
            if failure is None:
                self._metrics.steps.labels(step=name, result="error").inc()
                raise
            log.warning("step_failed", step=name, retryable=failure.retryable, error=failure.message)
            self._metrics.steps.labels(step=name, result="failed").inc()
            return {"failure": asdict(failure)}
        await self._faults.reach(f"{name}:done")
        self._metrics.steps.labels(step=name, result="done").inc()
        return {"value": value}


class _Cancellations(logging.Filter):
    """Drops the traceback DBOS logs at error level when a job is stopped on purpose."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return type(error).__name__ != "DBOSWorkflowCancelledError"


def quiet_cancellations() -> None:
    """Keep a stopped job from looking like a fault in the log."""
    logger = logging.getLogger("dbos")
    if not any(isinstance(item, _Cancellations) for item in logger.filters):
        logger.addFilter(_Cancellations())


def _plain(url: str) -> str:
    """Return the URL as DBOS spells it."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)
