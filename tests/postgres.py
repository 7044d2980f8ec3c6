"""A throw-away PostgreSQL cluster, and an empty database of it or of SQLite for each test."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

USERS = ("postgres", "nobody")


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


@contextmanager
def cluster() -> Iterator[str]:
    """Start a cluster on a free port of localhost; yield its URL up to the database name.

    PostgreSQL refuses to run as root, so root starts it as another user.
    """
    folder = programs()
    if folder is None:
        pytest.skip("NO POSTGRESQL: install the package postgresql, else half of the store is untested")
    account = _account()
    data = Path(tempfile.mkdtemp(prefix="suture-pg-"))
    if account:
        os.chown(data, account.pw_uid, account.pw_gid)
    run: dict[str, Any] = {
        "cwd": data,
        "env": {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(data)},
    }
    if account:
        run |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    initdb: list[str | Path] = [
        folder / "initdb",
        "-D",
        data / "db",
        "-U",
        "suture",
        "-A",
        "trust",
        "-N",
        "-E",
        "UTF8",
    ]
    subprocess.run(initdb, check=True, capture_output=True, **run)
    port = _free_port()
    options = (
        "fsync=off",
        "synchronous_commit=off",
        f"unix_socket_directories={data}",
        "max_connections=200",
    )
    arguments: list[str | Path] = [folder / "postgres", "-D", data / "db", "-p", str(port), "-h", "127.0.0.1"]
    arguments += [part for option in options for part in ("-c", option)]
    with (
        (data / "log").open("wb") as log,
        subprocess.Popen(arguments, stdout=log, stderr=log, **run) as server,
    ):
        try:
            url = f"postgresql://suture@127.0.0.1:{port}"
            _wait(url)
            yield url
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait(30)
            shutil.rmtree(data, ignore_errors=True)


def new_database(cluster_url: str) -> str:
    """Create an empty database; return its URL."""
    name = f"t{uuid.uuid4().hex[:12]}"
    with psycopg.connect(f"{cluster_url}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')  # the name is ours
    return f"{cluster_url}/{name}"


def _account() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    for name in USERS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("NO USER FOR POSTGRESQL: root needs a user postgres or nobody to start it as")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(f"{url}/postgres", connect_timeout=2).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[str]:
    """Share one cluster among the tests of a session."""
    with cluster() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty database: each test that asks for one runs on both kinds."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'suture.db'}"
    return new_database(request.getfixturevalue("postgres_cluster"))
