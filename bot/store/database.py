"""Opens the database: SQLite made safe for several writers, or PostgreSQL; brings the tables up to date."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager

    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_MILLISECONDS = 30_000
LOOK_SECONDS = 0.002
WRITE = "suture_write"


def is_sqlite(url: str) -> bool:
    """Return whether the URL names a SQLite file."""
    return url.startswith("sqlite")


def build_engine(url: str) -> sa.Engine:
    """Return the engine of the App's own tables.

    On SQLite a writing transaction takes the write lock when it begins, so that a read followed by a write
    never fails half way; WAL lets readers go on meanwhile, ``synchronous=FULL`` makes a commit last.
    """
    if not is_sqlite(url):
        return sa.create_engine(url, pool_pre_ping=True, pool_size=10, max_overflow=10)
    _make_folder(url)
    engine = sa.create_engine(url)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def build_durable_engine(url: str) -> sa.Engine | None:
    """Return the engine for the durable jobs on SQLite; None where the library's own serves (PostgreSQL).

    The library leaves SQLite in rollback-journal mode, which is five times slower; and it needs the driver
    to begin write transactions as ``IMMEDIATE``.
    """
    if not is_sqlite(url):
        return None
    _make_folder(url)
    engine = sa.create_engine(url)
    event.listen(engine, "connect", _prepare_durable_sqlite)
    return engine


def migrate(engine: sa.Engine) -> None:
    """Bring the App's tables to the newest revision; safe to run from several processes."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with writing(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('suture-migrations'))"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def writing(engine: sa.Engine) -> AbstractContextManager[sa.Connection]:
    """Return a transaction that will write: it commits at the end and rolls back on an exception."""
    return engine.execution_options(**{WRITE: True}).begin()


def insert_new(connection: sa.Connection, table: sa.Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless its key is taken; return whether it was new."""
    statement = _insert(connection, table).values(**values).on_conflict_do_nothing()
    key = next(iter(table.primary_key.columns))
    return connection.execute(statement.returning(key)).first() is not None


def upsert(
    connection: sa.Connection, table: sa.Table, values: Mapping[str, Any], change: Mapping[str, Any]
) -> None:
    """Insert a row, or make a change to the one that has its key."""
    keys = list(table.primary_key.columns)
    statement = _insert(connection, table).values(**values)
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=dict(change)))


def _insert(connection: sa.Connection, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def rows(result: sa.CursorResult[Any]) -> Iterator[dict[str, Any]]:
    """Yield rows as plain dicts."""
    yield from (dict(row) for row in result.mappings())


def _make_folder(url: str) -> None:
    if database := sa.make_url(url).database:
        Path(database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)


def _prepare_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    _pragmas(connection)
    connection.isolation_level = None


def _prepare_durable_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    _pragmas(connection)
    connection.isolation_level = "IMMEDIATE"


def _pragmas(connection: DBAPIConnection) -> None:
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={BUSY_MILLISECONDS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    driver: Any = connection.connection.driver_connection
    if connection.get_execution_options().get(WRITE):
        _take_write_lock(driver)
    else:
        driver.execute("BEGIN")


def _take_write_lock(driver: sqlite3.Connection) -> None:
    """Begin to write as soon as the lock is free.

    SQLite's own wait sleeps up to 100 ms between two looks; a webhook that waits for its commit among the
    commits of busy jobs would starve.
    """
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    driver.execute("PRAGMA busy_timeout=0")
    try:
        while True:
            try:
                driver.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(LOOK_SECONDS)
            else:
                return
    finally:
        driver.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
