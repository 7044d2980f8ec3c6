"""The index on disk: one SQLite file in one folder, for one repository.

Documents are keyed by git blob id and commits by commit id, so nothing in it is ever out of date: an update adds,
a force-push changes only which entries are asked for. SQLite's write-ahead log lets readers go on while one
process writes, and leaves the last whole transaction after a kill.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from retrieval.errors import IndexBusyError, IndexDamagedError
from retrieval.files import document as documents
from retrieval.files.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retrieval.files.document import Document

LAYOUT = 3
"""Goes up when the tables change; an index of another layout is thrown away and built again."""

FILE = "index.sqlite3"
_WAIT = 30.0
_AT_ONCE = 500
_TABLES = """
CREATE TABLE IF NOT EXISTS documents (
    blob TEXT NOT NULL, ending TEXT NOT NULL, content BLOB, PRIMARY KEY (blob, ending)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS commits (id TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
"""

Key = tuple[str, str]


class IndexStore:
    """An open index; raise ``IndexDamagedError`` for a file that is none, ``IndexBusyError`` when it is held."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._file = folder / FILE
        with self._told():
            self._database = self._open()

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._file, timeout=_WAIT, isolation_level=None)
        version = LAYOUT * 1_000 + documents.FORMAT
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("BEGIN IMMEDIATE")
        found = database.execute("PRAGMA user_version").fetchone()[0]
        if found not in {0, version}:
            for table in ("documents", "commits", "facts"):
                database.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in _TABLES.split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {version}")
        database.execute("COMMIT")
        return database

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def get(self, keys: Iterable[Key]) -> Mapping[Key, Document | None]:
        """Return the known documents; None stands for content that is no text."""
        found: dict[Key, Document | None] = {}
        wanted = set(keys)
        for some in _cut(sorted({blob for blob, _ in wanted})):
            for blob, ending, content in self._rows("documents", "blob", some):
                if (blob, ending) in wanted:
                    found[blob, ending] = None if content is None else self._decoded(content)
        return found

    def known(self, keys: Iterable[Key]) -> frozenset[Key]:
        """Return which documents are known, without reading them."""
        with self._told():
            rows = self._database.execute("SELECT blob, ending FROM documents").fetchall()
        return frozenset(keys) & frozenset(rows)

    def _decoded(self, content: bytes) -> Document:
        try:
            return decode(content)
        except (ValueError, struct.error) as error:
            raise IndexDamagedError(self.folder) from error

    def put(self, found: Mapping[Key, Document | None]) -> None:
        """Keep documents, all or none."""
        rows = [(*key, None if one is None else encode(one)) for key, one in found.items()]
        self._write("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", rows)

    def commits(self, ids: Iterable[str]) -> Mapping[str, bytes]:
        """Return what is known of commits."""
        return {row[0]: row[1] for some in _cut(list(ids)) for row in self._rows("commits", "id", some)}

    def commit_ids(self) -> frozenset[str]:
        """Return the ids of all known commits."""
        with self._told():
            return frozenset(row[0] for row in self._database.execute("SELECT id FROM commits"))

    def put_commits(self, found: Mapping[str, bytes]) -> None:
        """Keep commits, all or none."""
        self._write("INSERT OR REPLACE INTO commits VALUES (?, ?)", list(found.items()))

    def fact(self, name: str) -> object:
        """Return a kept JSON value, or None."""
        with self._told():
            row = self._database.execute("SELECT content FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def put_fact(self, name: str, value: object) -> None:
        """Keep a JSON value."""
        self._write("INSERT OR REPLACE INTO facts VALUES (?, ?)", [(name, json.dumps(value))])

    def forget(self, *, blobs: Iterable[str] = (), commits: Iterable[str] = ()) -> None:
        """Drop entries that nothing asks for any more."""
        self._write("DELETE FROM documents WHERE blob = ?", [(blob,) for blob in blobs])
        self._write("DELETE FROM commits WHERE id = ?", [(one,) for one in commits])

    def blob_ids(self) -> frozenset[str]:
        """Return the ids of all known contents."""
        with self._told():
            return frozenset(row[0] for row in self._database.execute("SELECT blob FROM documents"))

    def _rows(self, table: str, column: str, values: list[str]) -> list[tuple[Any, ...]]:
        marks = ",".join("?" * len(values))
        query = f"SELECT * FROM {table} WHERE {column} IN ({marks})"  # noqa: S608 - both are ours
        with self._told():
            return self._database.execute(query, values).fetchall()

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        if not rows:
            return
        with self._told():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(statement, rows)
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in our own words what SQLite could not do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise IndexBusyError(self.folder) from error
            raise IndexDamagedError(self.folder) from error
        except sqlite3.DatabaseError as error:
            raise IndexDamagedError(self.folder) from error


def delete_index(folder: Path) -> bool:
    """Delete an index and say whether there was one; a folder that is no index is left alone."""
    if not (folder / FILE).is_file():
        return False
    shutil.rmtree(folder)
    return True


def _cut(values: list[str]) -> Iterator[list[str]]:
    for at in range(0, len(values), _AT_ONCE):
        yield values[at : at + _AT_ONCE]
