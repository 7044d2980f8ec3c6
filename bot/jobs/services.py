"""What every job works with, joined once in ``bot/app.py``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import sqlalchemy as sa

    from bot.artifacts import ArtifactStore
    from bot.faults import Faults
    from bot.jobs.journal import Job
    from bot.ports import Checkouts, GitHub, Indexer, RepairEngine
    from bot.store.store import Store
    from bot.telemetry import Metrics

P = ParamSpec("P")
T = TypeVar("T")


class JobQueues(Protocol):
    """Enqueues and stops workflows."""

    def enqueue(self, connection: sa.Connection, job: Job) -> None:
        """Enqueue inside the caller's transaction; the same id only once."""
        ...

    async def cancel(self, ids: Sequence[str]) -> None:
        """Stop workflows, waiting or running."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """What the operator of this installation decided for all repositories."""

    enabled: bool = True
    trusted_bots: frozenset[int] = frozenset()
    models: tuple[str, ...] = ()
    app_id: int = 0
    app_slug: str = ""
    runs_per_hour: int = 20
    run_minutes: int = 120
    payload_days: int = 14
    run_days: int = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Ports and tables; ``now`` is epoch seconds."""

    store: Store
    queues: JobQueues
    github: GitHub
    checkouts: Checkouts
    engine: RepairEngine
    indexer: Indexer
    artifacts: ArtifactStore
    operator: Operator
    faults: Faults
    metrics: Metrics
    work_dir: Path
    now: Callable[[], float]


async def in_thread(call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a short blocking call (the store, a file) without holding the loop."""
    return await asyncio.to_thread(call, *args, **kwargs)
