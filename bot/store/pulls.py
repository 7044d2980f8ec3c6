"""Pull requests of ours, and what people did to them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from bot.store.database import insert_new, rows, upsert, writing
from bot.store.schema import feedback, pulls, refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A pull request that Suture opened; ``head_sha`` is the last commit it wrote itself."""

    repository_id: int
    number: int
    run_id: str
    subject_key: str
    branch: str
    head_sha: str
    state: str = "open"
    handed_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a person did to our work, with what made it; ``key`` is the event, so that it counts once."""

    key: str
    repository_id: int
    pull_number: int
    run_id: str
    what: str
    actor: str
    origin: str = ""
    source: str = ""
    model: str = ""
    cwes: str = ""
    detail: str = ""
    at: float = 0.0


class Pulls:
    """The tables of pull requests, feedback and refusals."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def save(self, pull: Pull) -> None:
        """Insert, or update what a publication changes."""
        change = {
            "run_id": pull.run_id,
            "head_sha": pull.head_sha,
            "branch": pull.branch,
            "state": pull.state,
        }
        with writing(self._engine) as connection:
            upsert(connection, pulls, asdict(pull), change)

    def get(self, repository_id: int, number: int) -> Pull | None:
        """Return a pull request of ours, None for anybody else's."""
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(pulls).where(_pull(repository_id, number)))
            row = next(rows(found), None)
        return None if row is None else Pull(**row)

    def of_subject(self, repository_id: int, subject_key: str) -> list[Pull]:
        """Return the pull requests of a subject, newest first."""
        wanted = sa.and_(pulls.c.repository_id == repository_id, pulls.c.subject_key == subject_key)
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(pulls).where(wanted).order_by(pulls.c.number.desc()))
            return [Pull(**row) for row in rows(found)]

    def count_open(self, repository_id: int) -> int:
        """Return how many are open in a repository."""
        wanted = sa.and_(pulls.c.repository_id == repository_id, pulls.c.state == "open")
        with self._engine.connect() as connection:
            return connection.execute(sa.select(sa.func.count()).where(wanted)).scalar_one()

    def change(self, repository_id: int, number: int, **values: Any) -> None:
        """Set columns of a pull request."""
        with writing(self._engine) as connection:
            connection.execute(sa.update(pulls).where(_pull(repository_id, number)).values(**values))

    def record(self, item: Feedback) -> None:
        """Keep feedback once per event."""
        with writing(self._engine) as connection:
            insert_new(connection, feedback, asdict(item))

    def feedback(self, repository_id: int) -> list[Feedback]:
        """Return the feedback of a repository, oldest first."""
        query = sa.select(feedback).where(feedback.c.repository_id == repository_id)
        with self._engine.connect() as connection:
            found = connection.execute(query.order_by(feedback.c.at, feedback.c.key))
            return [Feedback(**row) for row in rows(found)]

    def refuse(self, repository_id: int, subject_key: str, actor_id: int, key: str, at: float) -> bool:
        """Return whether this event is the first of this person on this subject that was refused."""
        values = {"repository_id": repository_id, "subject_key": subject_key, "actor_id": actor_id}
        mine = sa.and_(*(refusals.c[name] == value for name, value in values.items()), refusals.c.key == key)
        with writing(self._engine) as connection:
            insert_new(connection, refusals, {**values, "key": key, "at": at})
            return connection.execute(sa.select(refusals.c.key).where(mine)).first() is not None


def _pull(repository_id: int, number: int) -> sa.ColumnElement[bool]:
    return sa.and_(pulls.c.repository_id == repository_id, pulls.c.number == number)
