"""Suture as a process of its own against a GitHub kept in a file; it kills itself where it is told to.

python -m tests.e2e.core.bot_process FOLDER DATABASE_URL PORT [POINT [OCCURRENCE]]
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from typing import TYPE_CHECKING

from bot.app import App, Ports
from bot.telemetry import configure_logging
from tests.fakes.checkouts import FakeCheckouts, FakeIndexer
from tests.fakes.engine import ScriptedEngine
from tests.fakes.github import FakeGitHub
from tests.integration.bot.running_app import build_settings

if TYPE_CHECKING:
    from pathlib import Path

GITHUB = "github.json"
REACHED = "reached.txt"
KILLED = "killed"


class KillAt:
    """Writes each point down, and ends the process without goodbye at the given one, once ever."""

    def __init__(self, folder: Path, point: str, occurrence: int) -> None:
        self._reached = folder / REACHED
        self._killed = folder / KILLED
        self._point = point
        self._occurrence = occurrence
        self._seen: Counter[str] = Counter()

    async def reach(self, point: str) -> None:
        """Return, or never."""
        self._seen[point] += 1
        with self._reached.open("a") as file:
            file.write(f"{point}\n")
        here = point == self._point and self._seen[point] == self._occurrence
        if here and not self._killed.exists():
            self._killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)


async def main(folder: Path, url: str, point: str, occurrence: int) -> None:
    """Serve until told to stop."""
    configure_logging("info", "json")
    ports = Ports(
        github=FakeGitHub(folder / GITHUB),
        checkouts=FakeCheckouts(folder / f"trees-{os.getpid()}"),
        engine=ScriptedEngine(),
        indexer=FakeIndexer(),
    )
    app = App(
        settings=build_settings(folder, url, lease_seconds=4.0),
        ports=ports,
        faults=KillAt(folder, point, occurrence),
    )
    await app.start()
    (folder / "port").write_text(str(app.port))
    await app.wait()


def run(folder: Path, url: str, point: str = "", occurrence: int = 1) -> None:
    """Be the process: log to a file, serve on a free port."""
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(log, stream.fileno())
    asyncio.run(main(folder, url, point, occurrence))
