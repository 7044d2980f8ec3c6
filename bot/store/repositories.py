"""Installations and their repositories, known by ids that survive renames and transfers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.database import rows, upsert, writing
from bot.store.schema import (
    deliveries,
    feedback,
    installations,
    pulls,
    refusals,
    report_keys,
    reports,
    repositories,
    run_artifacts,
    run_events,
    runs,
)
from handlers.intents import Repository

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

SEEN_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigState:
    """The last good repository configuration; ``problem`` says what is wrong with a newer one."""

    text: str
    problem: str
    checked_at: float


class Repositories:
    """The tables of installations and repositories."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def see(self, repository: Repository, at: float) -> None:
        """Remember a repository as an event shows it; what a short form leaves out stays as it is known.

        Short forms, as installation events carry them, have no default branch.
        """
        values = {
            "installation_id": repository.installation_id,
            "full_name": repository.full_name,
            "default_branch": repository.default_branch,
            "private": repository.private,
            "archived": repository.archived,
            "fork": repository.fork,
        }
        short = ("installation_id", "full_name", "private")
        known = values if repository.default_branch else {name: values[name] for name in short}
        if self._is_known(repository.id, known, at):
            return
        self._upsert(repositories, {"id": repository.id, **values, "seen_at": at}, {**known, "seen_at": at})

    def get(self, repository_id: int) -> Repository | None:
        """Return a repository."""
        found = self._repositories(repositories.c.id == repository_id)
        return found[0] if found else None

    def of_installation(self, installation_id: int) -> list[Repository]:
        """Return the repositories of an installation."""
        return self._repositories(repositories.c.installation_id == installation_id)

    def all(self) -> list[Repository]:
        """Return every repository of an installation that is not suspended."""
        suspended = sa.select(installations.c.id).where(installations.c.suspended)
        return self._repositories(repositories.c.installation_id.not_in(suspended))

    def config(self, repository_id: int) -> ConfigState | None:
        """Return the configuration that is in force; None when it was never read."""
        columns = (
            repositories.c.config_text,
            repositories.c.config_problem,
            repositories.c.config_checked_at,
        )
        query = sa.select(*columns).where(repositories.c.id == repository_id)
        with self._engine.connect() as connection:
            found = connection.execute(query).first()
        if found is None or not found.config_checked_at:
            return None
        return ConfigState(text=found[0], problem=found[1], checked_at=found[2])

    def set_config(self, repository_id: int, *, text: str | None, problem: str, at: float) -> None:
        """Record a look at the configuration; ``text`` None keeps the last good one in force."""
        values: dict[str, Any] = {"config_problem": problem, "config_checked_at": at}
        if text is not None:
            values["config_text"] = text
        with writing(self._engine) as connection:
            connection.execute(
                sa.update(repositories).where(repositories.c.id == repository_id).values(**values)
            )

    def install(self, installation_id: int, account: str, at: float) -> None:
        """Remember an installation."""
        values = {"id": installation_id, "account": account, "created_at": at}
        self._upsert(installations, values, {"account": account})

    def suspend(self, installation_id: int, *, suspended: bool) -> None:
        """Record whether an installation may be served."""
        self._upsert(installations, {"id": installation_id, "suspended": suspended}, {"suspended": suspended})

    def is_suspended(self, installation_id: int) -> bool:
        """Return whether an installation is suspended; an unknown one is not."""
        query = sa.select(installations.c.suspended).where(installations.c.id == installation_id)
        with self._engine.connect() as connection:
            return bool(connection.execute(query).scalar())

    def forget(self, repository_ids: Collection[int], installation_id: int = 0) -> None:
        """Delete all that is known of some repositories, and the installation when it is given."""
        ids = list(repository_ids)
        with writing(self._engine) as connection:
            own_runs = sa.select(runs.c.id).where(runs.c.repository_id.in_(ids))
            for table in (run_events, run_artifacts):
                connection.execute(sa.delete(table).where(table.c.run_id.in_(own_runs)))
            for table in (runs, report_keys, reports, pulls, feedback, refusals):
                connection.execute(sa.delete(table).where(table.c.repository_id.in_(ids)))
            theirs = sa.update(deliveries).where(deliveries.c.repository_id.in_(ids))
            connection.execute(theirs.values(payload=None))
            connection.execute(sa.delete(repositories).where(repositories.c.id.in_(ids)))
            if installation_id:
                connection.execute(sa.delete(installations).where(installations.c.id == installation_id))

    def _is_known(self, repository_id: int, known: Mapping[str, Any], at: float) -> bool:
        """Return whether a recent look showed the same; a read is cheap where a write flushes the disk."""
        fresh = repositories.c.seen_at > at - SEEN_SECONDS
        query = sa.select(repositories).where(repositories.c.id == repository_id, fresh)
        with self._engine.connect() as connection:
            row = next(rows(connection.execute(query)), None)
        return row is not None and all(row[name] == value for name, value in known.items())

    def _repositories(self, wanted: sa.ColumnElement[bool]) -> list[Repository]:
        names = ("id", "full_name", "installation_id", "default_branch", "private", "archived", "fork")
        query = sa.select(*(repositories.c[name] for name in names)).where(wanted).order_by(repositories.c.id)
        with self._engine.connect() as connection:
            return [Repository(**row) for row in rows(connection.execute(query))]

    def _upsert(self, table: sa.Table, values: dict[str, Any], change: dict[str, Any]) -> None:
        with writing(self._engine) as connection:
            upsert(connection, table, values, change)
