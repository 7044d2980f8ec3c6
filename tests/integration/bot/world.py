"""The jobs in one process without the durable engine: real store and handlers, fakes of the ports."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.artifacts import ArtifactStore
from bot.faults import NoFaults
from bot.jobs.delivering import deliver
from bot.jobs.names import Workflow, delivery_job
from bot.jobs.publishing import publish
from bot.jobs.running import execute
from bot.jobs.services import Operator, Services
from bot.store.deliveries import Delivery
from bot.store.store import open_store
from bot.telemetry import Metrics
from tests.fakes.checkouts import FakeCheckouts, FakeIndexer
from tests.fakes.engine import ScriptedEngine
from tests.fakes.github import FakeGitHub
from tests.fakes.journal import PlainQueues
from tests.unit.handlers.builders import APP_ID, SLUG, Payload, build_user

if TYPE_CHECKING:
    from pathlib import Path

    from bot.store.runs import Run

OPERATOR = Operator(app_id=APP_ID, app_slug=SLUG)
STRANGER = build_user("stranger", 66)


@dataclass(slots=True)
class World:
    """One installation of Suture on one fake GitHub."""

    folder: Path
    operator: Operator = OPERATOR
    github: FakeGitHub = field(default_factory=FakeGitHub)
    engine: ScriptedEngine = field(default_factory=ScriptedEngine)
    queues: PlainQueues = field(default_factory=PlainQueues)
    indexer: FakeIndexer = field(default_factory=FakeIndexer)
    checkouts: FakeCheckouts = field(init=False)
    services: Services = field(init=False)
    time: float = 1_800_000_000.0

    def __post_init__(self) -> None:
        """Open the store and let the maintainer write."""
        self.checkouts = FakeCheckouts(self.folder / "trees")
        self.services = services = Services(
            store=open_store(f"sqlite:///{self.folder / 'suture.db'}"),
            queues=self.queues,
            github=self.github,
            checkouts=self.checkouts,
            engine=self.engine,
            indexer=self.indexer,
            artifacts=ArtifactStore(self.folder / "artifacts"),
            operator=self.operator,
            faults=NoFaults(),
            metrics=Metrics(),
            work_dir=self.folder / "work",
            now=self._now,
        )
        self.queues.bodies.update(
            {
                Workflow.DELIVERY: lambda journal, key: deliver(journal, services, key),
                Workflow.RUN: lambda journal, key: execute(journal, services, key),
                Workflow.PUBLISH: lambda journal, key: publish(journal, services, key),
            }
        )
        self.github.allow("maintainer", "write")

    def _now(self) -> float:
        self.time += 1.0
        return self.time

    def take(self, event: str, payload: Payload, guid: str = "") -> str:
        """Accept a delivery as the server does; nothing of it is done yet."""
        delivery = Delivery(
            guid=guid or str(uuid.uuid4()),
            event=event,
            repository_id=(payload.get("repository") or {}).get("id", 0),
            installation_id=(payload.get("installation") or {}).get("id", 0),
            received_at=self._now(),
            body=json.dumps(payload).encode(),
        )
        self.services.store.deliveries.accept(
            [delivery], lambda c, d: self.queues.enqueue(c, delivery_job(d.guid))
        )
        return delivery.guid

    async def send(self, event: str, payload: Payload, guid: str = "") -> str:
        """Accept a delivery and do all that follows from it."""
        guid = self.take(event, payload, guid)
        await self.queues.drain()
        return guid

    @property
    def runs(self) -> list[Run]:
        """Return all runs, oldest first."""
        return sorted(self.services.store.runs.latest(1000), key=lambda run: run.created_at)

    @property
    def run(self) -> Run:
        """Return the only run."""
        (run,) = self.runs
        return run

    def said(self) -> str:
        """Return all that was said in comments."""
        return "\n".join(self.github.comments.values())

    def traces(self, *words: str) -> list[dict[str, Any]]:
        """Return the calls in which one of the words left the process."""
        return [
            call
            for call in self.github.calls
            if any(word.lower() in json.dumps(call).lower() for word in words)
        ]

    def close(self) -> None:
        """Close the store."""
        self.services.store.close()
