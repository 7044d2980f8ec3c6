"""Executor slots: who works under which name, and since when nothing was heard of it; and time marks."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.database import insert_new, rows, upsert, writing
from bot.store.schema import marks, slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot and its holder; ``process`` tells two processes of one host apart, also across a restart."""

    name: str
    owner: str
    host: str
    process: str
    beat_at: float = 0.0


class Slots:
    """The tables of slots and marks. Times are the database's own, so that hosts need not agree."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def all(self) -> list[Slot]:
        """Return every slot by name."""
        with self._engine.connect() as connection:
            return [Slot(**row) for row in rows(connection.execute(sa.select(slots).order_by(slots.c.name)))]

    def now(self) -> float:
        """Return the database's time in epoch seconds."""
        with self._engine.connect() as connection:
            return _now(connection)

    def claim(self, mine: Slot, instead_of: str) -> bool:
        """Take a slot that nobody holds or whose holder is still ``instead_of``; return whether it worked."""
        with writing(self._engine) as connection:
            now = _now(connection)
            values = {"owner": mine.owner, "host": mine.host, "process": mine.process, "beat_at": now}
            if insert_new(connection, slots, {"name": mine.name, **values}):
                return True
            held = sa.and_(slots.c.name == mine.name, slots.c.owner == instead_of)
            return connection.execute(sa.update(slots).where(held).values(**values)).rowcount == 1

    def beat(self, name: str, owner: str) -> bool:
        """Say that the holder lives; False when somebody else holds the slot now."""
        with writing(self._engine) as connection:
            held = sa.and_(slots.c.name == name, slots.c.owner == owner)
            change = sa.update(slots).where(held).values(beat_at=_now(connection))
            return connection.execute(change).rowcount == 1

    def retire(self, name: str, owner: str) -> None:
        """Let the slot look dead, so that its jobs are adopted; only its holder can."""
        held = sa.and_(slots.c.name == name, slots.c.owner == owner)
        with writing(self._engine) as connection:
            connection.execute(sa.update(slots).where(held).values(beat_at=0.0))

    def remove(self, name: str, owner: str) -> None:
        """Remove a slot whose jobs were adopted; only its holder can."""
        held = sa.and_(slots.c.name == name, slots.c.owner == owner)
        with writing(self._engine) as connection:
            connection.execute(sa.delete(slots).where(held))

    def mark(self, name: str, at: float) -> None:
        """Remember when something was last done."""
        with writing(self._engine) as connection:
            upsert(connection, marks, {"name": name, "at": at}, {"at": at})

    def marked(self, name: str) -> float:
        """Return when something was last done, 0 for never."""
        with self._engine.connect() as connection:
            return connection.execute(sa.select(marks.c.at).where(marks.c.name == name)).scalar() or 0.0


def _now(connection: sa.Connection) -> float:
    if connection.dialect.name == "postgresql":
        return float(connection.execute(sa.text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())
    query = sa.text("SELECT (julianday('now') - 2440587.5) * 86400.0")
    return float(connection.execute(query).scalar_one())
