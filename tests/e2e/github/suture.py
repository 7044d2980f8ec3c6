"""A whole Suture on the testbed: the real server, jobs, store, client and checkouts; a scripted engine."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import SecretStr

from bot.app import App, Ports
from bot.github.checkout import CheckoutConfig, GitCheckouts
from bot.github.client import GitHubApp
from bot.settings import Settings
from tests.e2e.github.engine import EngineByRepository
from tests.fakes.checkouts import FakeIndexer
from tests.testbed.world import APP_ID, SLUG, WEBHOOK_SECRET, private_key

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path
    from types import TracebackType

    from bot.ports import RepairEngine
    from bot.store.runs import Run
    from handlers.intents import Repository
    from tests.testbed.testbed import Testbed

T = TypeVar("T")
PATIENCE = 60.0
CALM = 3


@dataclass(kw_only=True)
class Suture:
    """Use as a context manager; runs on an event loop of its own, as in production."""

    bed: Testbed
    folder: Path
    engine: EngineByRepository = field(default_factory=EngineByRepository)
    indexer: FakeIndexer = field(default_factory=FakeIndexer)
    real_engine: RepairEngine | None = None

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="suture", daemon=True)
        self._thread.start()
        self.github = GitHubApp(self.bed.config())
        checkouts = GitCheckouts(
            CheckoutConfig(folder=self.folder / "checkouts"), self.github.connection, self.github.refresh
        )
        ports = Ports(
            github=self.github,
            checkouts=checkouts,
            engine=self.real_engine or self.engine,
            indexer=self.indexer,
        )
        self.app = App(settings=self._settings(), ports=ports)
        self.call(self.app.start())
        self.url = f"http://127.0.0.1:{self.app.port}/webhook"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.idle()
        finally:
            # The engine is one for the process: one left running would fail every test after this one.
            self.call(self.app.stop())
            self.github.close()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
            self._loop.close()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on Suture's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    def runs(self, repository: Repository) -> list[Run]:
        """Return the runs of a repository, oldest first."""
        found = [run for run in self.app.store.runs.latest(1000) if run.repository_id == repository.id]
        return sorted(found, key=lambda run: run.created_at)

    def settled(self, repository: Repository, count: int = 1) -> list[Run]:
        """Wait until so many runs are there and none is active; return them."""

        def look() -> list[Run]:
            runs = self.runs(repository)
            return runs if len(runs) >= count and not any(run.active for run in runs) else []

        return wait_for(look)

    def idle(self) -> None:
        """Wait until every delivery that arrived is concluded."""
        calm = 0
        while calm < CALM:
            wait_for(
                lambda: not self.bed.hooks.running and not self.app.store.deliveries.count().get("accepted")
            )
            time.sleep(0.1)  # an answer of the App may itself cause an event
            calm = calm + 1 if not self.bed.hooks.running else 0

    def _settings(self) -> Settings:
        return Settings(
            data_dir=self.folder / "data",
            cache_dir=self.folder / "cache",
            app_id=APP_ID,
            app_slug=SLUG,
            private_key=SecretStr(private_key()),
            webhook_secret=SecretStr(WEBHOOK_SECRET),
            port=0,
            concurrent_runs=4,
            github_url=self.bed.url,
            github_api_url=self.bed.url,
        )


def wait_for(look: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Return what ``look`` returns once that is true."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError("it did not happen in time")
        time.sleep(0.05)
