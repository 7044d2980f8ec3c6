"""Webhook deliveries: each GUID once and for good; the payload until it was read and some days more."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import sqlalchemy as sa

from bot.store.database import insert_new, rows, writing
from bot.store.schema import deliveries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


_COLUMNS = ("guid", "event", "action", "installation_id", "repository_id", "received_at")


class DeliveryState(StrEnum):
    """What became of a delivery."""

    ACCEPTED = "accepted"
    DONE = "done"
    IGNORED = "ignored"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One webhook as it arrived; ``body`` is the JSON as GitHub signed it."""

    guid: str
    event: str
    action: str = ""
    installation_id: int = 0
    repository_id: int = 0
    received_at: float = 0.0
    body: bytes = b""
    state: str = DeliveryState.ACCEPTED
    note: str = ""


class Deliveries:
    """The table of deliveries."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def accept(
        self, batch: Sequence[Delivery], enqueue: Callable[[sa.Connection, Delivery], None]
    ) -> frozenset[str]:
        """Store new deliveries and enqueue their work in one transaction; return the GUIDs that were new.

        One that comes as ``IGNORED`` is only remembered.
        """
        with writing(self._engine) as connection:
            fresh = [delivery for delivery in batch if _insert(connection, delivery)]
            for delivery in fresh:
                if delivery.state == DeliveryState.ACCEPTED:
                    enqueue(connection, delivery)
        return frozenset(delivery.guid for delivery in fresh)

    def known(self, guids: Iterable[str]) -> frozenset[str]:
        """Return those that were accepted before."""
        query = sa.select(deliveries.c.guid).where(deliveries.c.guid.in_(list(guids)))
        with self._engine.connect() as connection:
            return frozenset(connection.execute(query).scalars())

    def find(self, guid: str) -> Delivery | None:
        """Return a delivery; its body is empty once retention dropped it."""
        query = sa.select(deliveries).where(deliveries.c.guid == guid)
        with self._engine.connect() as connection:
            found = next(rows(connection.execute(query)), None)
        if found is None:
            return None
        packed = found["payload"]
        known = {name: found[name] for name in (*_COLUMNS, "state", "note")}
        return Delivery(**known, body=zlib.decompress(packed) if packed else b"")

    def conclude(self, guid: str, state: DeliveryState, note: str = "") -> None:
        """Record what became of a delivery."""
        change = sa.update(deliveries).where(deliveries.c.guid == guid).values(state=state, note=note)
        with writing(self._engine) as connection:
            connection.execute(change)

    def count(self) -> dict[str, int]:
        """Return how many deliveries are in each state."""
        query = sa.select(deliveries.c.state, sa.func.count()).group_by(deliveries.c.state)
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def drop_payloads(self, *, before: float) -> int:
        """Forget payloads received before a time, keeping the GUIDs; return how many were dropped."""
        old = sa.and_(deliveries.c.received_at < before, deliveries.c.payload.is_not(None))
        with writing(self._engine) as connection:
            return connection.execute(sa.update(deliveries).where(old).values(payload=None)).rowcount


def _insert(connection: sa.Connection, delivery: Delivery) -> bool:
    """Insert unless the GUID is there; return whether it was new."""
    values = {name: getattr(delivery, name) for name in _COLUMNS}
    packed = zlib.compress(delivery.body, 1) if delivery.state == DeliveryState.ACCEPTED else None
    return insert_new(connection, deliveries, {**values, "state": delivery.state, "payload": packed})
