"""The App as one process: webhook server, durable jobs, heartbeat and sweeps, joined to their ports here."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog
from aiohttp import web

from bot.artifacts import ArtifactStore
from bot.errors import SlotLostError
from bot.faults import NoFaults
from bot.jobs import sweeping
from bot.jobs.delivering import deliver
from bot.jobs.durable import DurableJobs, Queue
from bot.jobs.names import QueueName, Workflow, delivery_job
from bot.jobs.publishing import publish
from bot.jobs.running import execute
from bot.jobs.services import Operator, Services
from bot.jobs.slots import SlotKeeper
from bot.store.store import open_store
from bot.telemetry import Metrics
from bot.webhook.intake import Intake
from bot.webhook.server import Webhooks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.faults import Faults
    from bot.ports import Checkouts, GitHub, Indexer, RepairEngine
    from bot.settings import Settings
    from bot.store.deliveries import Delivery
    from bot.store.store import Store

BEATS_PER_LEASE = 4
CLEAN_SECONDS = 3600.0
SHUTDOWN_SECONDS = 5.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The outside of the App."""

    github: GitHub
    checkouts: Checkouts
    engine: RepairEngine
    indexer: Indexer


@dataclass(slots=True, kw_only=True)
class App:
    """One process of Suture. ``serve`` takes webhooks, ``work`` carries out jobs; one process may do both."""

    settings: Settings
    ports: Ports
    faults: Faults = field(default_factory=NoFaults)
    now: Callable[[], float] = time.time
    serve: bool = True
    work: bool = True
    metrics: Metrics = field(default_factory=Metrics)
    store: Store = field(init=False)
    services: Services = field(init=False)
    jobs: DurableJobs = field(init=False)
    keeper: SlotKeeper = field(init=False)
    port: int = field(init=False, default=0)
    _runner: web.AppRunner | None = field(init=False, default=None)
    _tasks: list[asyncio.Task[None]] = field(init=False, default_factory=list)
    _lost: asyncio.Future[None] = field(init=False)

    async def start(self) -> None:
        """Open the database, take a slot, go on with interrupted jobs, then listen."""
        self._lost = asyncio.get_running_loop().create_future()
        await asyncio.to_thread(self._open)
        if self.work:
            await asyncio.to_thread(self._launch)
            self._every(self.settings.lease_seconds / BEATS_PER_LEASE, self._beat)
            self._every(CLEAN_SECONDS, self._clean)
        await self._listen()
        if self.serve:
            self._every(self.settings.redelivery_minutes * 60, self._redeliver)

    async def wait(self) -> None:
        """Wait for ever; raise ``SlotLostError`` when another process took over."""
        await self._lost

    async def stop(self) -> None:
        """Stop listening, then working; interrupted jobs go on in whoever takes the slot next."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._runner:
            await self._runner.cleanup()
        await asyncio.to_thread(self._close)

    def accept(self, batch: Sequence[Delivery]) -> frozenset[str]:
        """Store deliveries and enqueue their jobs in one transaction; return the new ones."""
        return self.store.deliveries.accept(
            batch,
            lambda connection, delivery: self.jobs.enqueue(connection, delivery_job(delivery.guid)),
        )

    async def ready(self) -> str:
        """Return why this process cannot do its part, or nothing."""
        try:
            now = await asyncio.wait_for(asyncio.to_thread(self.store.slots.now), 5.0)
        except Exception as error:  # noqa: BLE001  # any failure of the database means: not ready
            return f"database: {type(error).__name__}"
        mine = self.keeper.mine
        if self.work and mine is not None:
            held = await asyncio.to_thread(self.store.slots.all)
            beat = next((slot.beat_at for slot in held if slot.owner == mine.owner), 0.0)
            if now - beat > self.settings.lease_seconds:
                return "no heartbeat"
        return ""

    def _open(self) -> None:
        self.settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.store = open_store(self.settings.sqlalchemy_url)
        self.jobs = DurableJobs(self.settings.sqlalchemy_url, faults=self.faults, metrics=self.metrics)
        self.jobs.prepare()
        self.keeper = SlotKeeper(
            slots=self.store.slots, lease=self.settings.lease_seconds, adopt=self.jobs.adopt
        )
        self.services = self._services()

    def _services(self) -> Services:
        return Services(
            store=self.store,
            queues=self.jobs,
            github=self.ports.github,
            checkouts=self.ports.checkouts,
            engine=self.ports.engine,
            indexer=self.ports.indexer,
            artifacts=ArtifactStore(self.settings.artifacts),
            operator=operator_of(self.settings),
            faults=self.faults,
            metrics=self.metrics,
            work_dir=self.settings.data_dir / "work",
            now=self.now,
        )

    def _launch(self) -> None:
        slot = self.keeper.claim(self.settings.slot)
        log.info("slot_claimed", slot=slot)
        services = self.services
        self.jobs.launch(
            slot,
            {
                Workflow.DELIVERY: lambda journal, key: deliver(journal, services, key),
                Workflow.RUN: lambda journal, key: execute(journal, services, key),
                Workflow.PUBLISH: lambda journal, key: publish(journal, services, key),
            },
            (
                Queue(name=QueueName.DELIVERIES, here=self.settings.concurrent_deliveries),
                Queue(name=QueueName.RUNS, here=self.settings.concurrent_runs, per_partition=1),
                Queue(name=QueueName.PUBLICATIONS, here=self.settings.concurrent_deliveries),
            ),
        )

    async def _listen(self) -> None:
        webhooks = Webhooks(
            intake=Intake(self.accept, self.faults),
            metrics=self.metrics,
            secrets=self.settings.webhook_secrets,
            limit=self.settings.max_body_bytes,
            ready=self.ready,
        )
        self._runner = web.AppRunner(
            webhooks.application(webhook=self.serve),
            access_log=None,
            handle_signals=False,
            shutdown_timeout=SHUTDOWN_SECONDS,
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, self.settings.host, self.settings.port).start()
        self.port = self._runner.addresses[0][1]
        log.info("listening", host=self.settings.host, port=self.port, webhooks=self.serve)

    def _every(self, seconds: float, call: Callable[[], Awaitable[None]]) -> None:
        """Do something now and then every so often; a failure is logged and tried again next time."""

        async def repeat() -> None:
            while True:
                try:
                    await call()
                except SlotLostError as error:
                    if not self._lost.done():
                        self._lost.set_exception(error)
                    return
                except Exception:
                    log.exception("periodic_task_failed")
                await asyncio.sleep(seconds)

        self._tasks.append(asyncio.create_task(repeat()))

    async def _beat(self) -> None:
        await asyncio.to_thread(self.keeper.beat)
        self.metrics.last_beat.set(self.now())
        self.metrics.takeovers.inc(await asyncio.to_thread(self.keeper.take_over))

    async def _redeliver(self) -> None:
        await sweeping.redeliver(self.services)

    async def _clean(self) -> None:
        await asyncio.to_thread(sweeping.mend, self.services, self.jobs.unfinished)
        await asyncio.to_thread(sweeping.clean, self.services, self.jobs.purge)

    def _close(self) -> None:
        self.jobs.close()
        self.keeper.release()
        self.store.close()


def operator_of(settings: Settings) -> Operator:
    """Return what the jobs need of the settings."""
    return Operator(
        enabled=settings.enabled,
        trusted_bots=frozenset(settings.trusted_bots),
        app_id=settings.app_id,
        app_slug=settings.app_slug,
        runs_per_hour=settings.runs_per_hour,
        run_minutes=settings.run_minutes,
        payload_days=settings.payload_days,
        run_days=settings.run_days,
    )
