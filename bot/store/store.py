"""The store: all tables behind one object, opened and brought up to date in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.store.database import build_engine, migrate
from bot.store.deliveries import Deliveries
from bot.store.pulls import Pulls
from bot.store.reports import Reports
from bot.store.repositories import Repositories
from bot.store.runs import Runs
from bot.store.slots import Slots

if TYPE_CHECKING:
    import sqlalchemy as sa


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """The App's tables. Every call is synchronous and short; the jobs run them in a worker thread."""

    engine: sa.Engine
    deliveries: Deliveries
    pulls: Pulls
    reports: Reports
    repositories: Repositories
    runs: Runs
    slots: Slots

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_store(url: str) -> Store:
    """Return the store of a database URL with its tables up to date."""
    engine = build_engine(url)
    migrate(engine)
    return Store(
        engine=engine,
        deliveries=Deliveries(engine),
        pulls=Pulls(engine),
        reports=Reports(engine),
        repositories=Repositories(engine),
        runs=Runs(engine),
        slots=Slots(engine),
    )
