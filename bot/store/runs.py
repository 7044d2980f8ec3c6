"""Runs: one row each, with its time line and the artifacts it left."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.database import insert_new, rows, writing
from bot.store.schema import run_artifacts, run_events, runs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from bot.artifacts import Artifact


class RunState(StrEnum):
    """Where a run is; ``WAITING`` is for a human, and holds no slot."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    PUBLISHING = "publishing"
    FINISHED = "finished"


class RunKind(StrEnum):
    """``FIX`` starts from a report, ``REFINE`` from a pull request that an earlier run opened."""

    FIX = "fix"
    REFINE = "refine"


UNFINISHED = frozenset(set(RunState) - {RunState.FINISHED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One row of the table; ``subject`` and ``result_digest`` point to what codec can read."""

    id: str
    repository_id: int
    installation_id: int
    report_id: str = ""
    subject: str = ""
    subject_key: str = ""
    kind: RunKind = RunKind.FIX
    cause: str = ""
    state: RunState = RunState.QUEUED
    active: bool = True
    outcome: str = ""
    reason: str = ""
    visibility: str = "public"
    priority: int = 0
    depth: str = ""
    model: str = ""
    requested_by: str = ""
    feedback: str = ""
    parent_id: str = ""
    linked_run_id: str = ""
    base_branch: str = ""
    base_sha: str = ""
    branch: str = ""
    pull_number: int = 0
    pull_url: str = ""
    expected_head: str = ""
    head_sha: str = ""
    result_digest: str = ""
    approved_by: str = ""
    attempts: int = 0
    money: float = 0.0
    tokens: int = 0
    created_at: float = 0.0
    started_at: float = 0.0
    finished_at: float = 0.0

    @property
    def private(self) -> bool:
        """Whether nothing public may be written about it."""
        return self.visibility == "private"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """One moment of a run."""

    at: float
    what: str
    detail: str


class Runs:
    """The table of runs and what hangs on it."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def open(self, run: Run, enqueue: Callable[[sa.Connection], None]) -> Run:
        """Insert the run and enqueue its work in one transaction, unless its subject has one already.

        Returns the run that stands for the subject now: this one, also when it had been inserted before a
        crash, or the active one that was there first.
        """
        with writing(self._engine) as connection:
            if insert_new(connection, runs, asdict(run)):
                enqueue(connection)
                return run
            found = _one(connection, runs.c.id == run.id) or _one(connection, _active(run))
        return found or run

    def get(self, run_id: str) -> Run | None:
        """Return a run by its id."""
        with self._engine.connect() as connection:
            return _one(connection, runs.c.id == run_id)

    def find(self, prefix: str) -> list[Run]:
        """Return the runs whose id begins with ``prefix``, newest first."""
        return self._many(runs.c.id.startswith(prefix, autoescape=True), 10)

    def latest(self, limit: int = 50) -> list[Run]:
        """Return the newest runs."""
        return self._many(sa.true(), limit)

    def of_subject(self, repository_id: int, subject_key: str) -> list[Run]:
        """Return the runs of a subject, newest first."""
        return self._many(_subject(repository_id, subject_key), 100)

    def of_pull(self, repository_id: int, number: int) -> list[Run]:
        """Return the runs that wrote to a pull request, newest first."""
        wanted = sa.and_(runs.c.repository_id == repository_id, runs.c.pull_number == number)
        return self._many(wanted, 100)

    def active(self, *, installation_id: int = 0, repository_id: int = 0) -> list[Run]:
        """Return unfinished runs of an installation or a repository."""
        wanted: list[sa.ColumnElement[bool]] = [runs.c.active]
        if installation_id:
            wanted.append(runs.c.installation_id == installation_id)
        if repository_id:
            wanted.append(runs.c.repository_id == repository_id)
        return self._many(sa.and_(*wanted), 10_000)

    def of_reports(self, report_ids: Collection[str]) -> list[Run]:
        """Return the runs of some reports, oldest first."""
        found = self._many(runs.c.report_id.in_(list(report_ids)), 100)
        return sorted(found, key=lambda run: (run.created_at, run.id))

    def count_since(self, repository_id: int, since: float) -> int:
        """Return how many runs a repository got since a time."""
        wanted = sa.and_(runs.c.repository_id == repository_id, runs.c.created_at >= since)
        with self._engine.connect() as connection:
            return connection.execute(sa.select(sa.func.count()).where(wanted)).scalar_one()

    def count_by_state(self) -> dict[str, int]:
        """Return how many runs are in each state."""
        query = sa.select(runs.c.state, sa.func.count()).group_by(runs.c.state)
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def change(self, run_id: str, when: Collection[RunState], **values: Any) -> bool:
        """Set columns if the run is in one of the states; return whether it was."""
        if "state" in values:
            values["active"] = values["state"] != RunState.FINISHED
        wanted = sa.and_(runs.c.id == run_id, runs.c.state.in_(list(when)))
        with writing(self._engine) as connection:
            return connection.execute(sa.update(runs).where(wanted).values(**values)).rowcount == 1

    def hand_on(
        self, run_id: str, when: Collection[RunState], enqueue: Callable[[sa.Connection], None], **values: Any
    ) -> bool:
        """Change as ``change`` does and enqueue the next workflow in the same transaction."""
        wanted = sa.and_(runs.c.id == run_id, runs.c.state.in_(list(when)))
        with writing(self._engine) as connection:
            if connection.execute(sa.update(runs).where(wanted).values(**values)).rowcount != 1:
                return False
            enqueue(connection)
        return True

    def note(self, run_id: str, at: float, what: str, detail: str = "") -> None:
        """Add a moment to the time line; the same moment twice (a step run again) is kept once."""
        same = sa.and_(
            run_events.c.run_id == run_id, run_events.c.what == what, run_events.c.detail == detail
        )
        with writing(self._engine) as connection:
            if connection.execute(sa.select(run_events.c.id).where(same)).first() is None:
                connection.execute(
                    sa.insert(run_events).values(run_id=run_id, at=at, what=what, detail=detail)
                )

    def events(self, run_id: str) -> list[RunEvent]:
        """Return the time line, oldest first."""
        columns = (run_events.c.at, run_events.c.what, run_events.c.detail)
        query = sa.select(*columns).where(run_events.c.run_id == run_id).order_by(run_events.c.id)
        with self._engine.connect() as connection:
            return [RunEvent(**row) for row in rows(connection.execute(query))]

    def attach(self, run_id: str, name: str, artifact: Artifact) -> None:
        """Name an artifact of a run; a second one of that name replaces the first."""
        with writing(self._engine) as connection:
            key = sa.and_(run_artifacts.c.run_id == run_id, run_artifacts.c.name == name)
            connection.execute(sa.delete(run_artifacts).where(key))
            values = {"run_id": run_id, "name": name, "digest": artifact.digest, "size": artifact.size}
            connection.execute(sa.insert(run_artifacts).values(**values))

    def artifacts(self, run_id: str) -> dict[str, str]:
        """Return the digests of a run's artifacts by name."""
        columns = (run_artifacts.c.name, run_artifacts.c.digest)
        query = sa.select(*columns).where(run_artifacts.c.run_id == run_id).order_by(run_artifacts.c.name)
        with self._engine.connect() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def digests(self) -> frozenset[str]:
        """Return every artifact that some run names."""
        with self._engine.connect() as connection:
            named = connection.execute(sa.select(run_artifacts.c.digest)).scalars()
            return frozenset(named)

    def drop(self, *, before: float) -> int:
        """Delete runs that ended before a time, with time line and artifact names; return how many."""
        old = sa.and_(sa.not_(runs.c.active), runs.c.finished_at < before)
        ids = sa.select(runs.c.id).where(old)
        with writing(self._engine) as connection:
            for table in (run_events, run_artifacts):
                connection.execute(sa.delete(table).where(table.c.run_id.in_(ids)))
            return connection.execute(sa.delete(runs).where(old)).rowcount

    def _many(self, wanted: sa.ColumnElement[bool], limit: int) -> list[Run]:
        query = sa.select(runs).where(wanted).order_by(runs.c.created_at.desc(), runs.c.id).limit(limit)
        with self._engine.connect() as connection:
            return [_run(row) for row in rows(connection.execute(query))]


def _run(row: dict[str, Any]) -> Run:
    return Run(**{**row, "kind": RunKind(row["kind"]), "state": RunState(row["state"])})


def _one(connection: sa.Connection, wanted: sa.ColumnElement[bool]) -> Run | None:
    row = next(rows(connection.execute(sa.select(runs).where(wanted))), None)
    return None if row is None else _run(row)


def _subject(repository_id: int, subject_key: str) -> sa.ColumnElement[bool]:
    return sa.and_(runs.c.repository_id == repository_id, runs.c.subject_key == subject_key)


def _active(run: Run) -> sa.ColumnElement[bool]:
    return sa.and_(_subject(run.repository_id, run.subject_key), runs.c.active)
