"""Killed without goodbye between any two steps, Suture ends with one pull request, one check, one comment."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import aiohttp
import pytest

from bot.store.runs import RunState
from bot.store.store import open_store
from tests.e2e.core.bot_process import GITHUB, KILLED, REACHED, run
from tests.fakes.github import FakeGitHub
from tests.integration.bot.running_app import post
from tests.unit.handlers.builders import build_issue_event

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.context import ForkServerProcess
    from pathlib import Path

GUID = "0f1e2d3c-0000-4000-8000-000000000001"

QUICK = ("queue:done", "repair:done", "publish:done")
POINTS = (
    "webhook.verified",
    "webhook.stored",
    "interpret:begin",
    "interpret:done",
    "interpret:recorded",
    "permission:done",
    "react-eyes:done",
    "report:recorded",
    "gates:done",
    "rivals:done",
    "queue:done",
    "queue:recorded",
    "comment:done",
    "conclude:done",
    "begin:done",
    "admit:done",
    "repair:begin",
    "checkout:done",
    "engine:done",
    "repair:done",
    "repair:recorded",
    "hand_on:done",
    "hand_on:recorded",
    "plan:done",
    "publish:begin",
    "publish:done",
    "publish:recorded",
    "check:done",
    "check:recorded",
    "comment:done#2",
    "finish:done",
)


CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.e2e.core.bot_process"])
"""Everything is imported once; each process is forked from there, so that a start takes no seconds."""


@contextmanager
def process(folder: Path, url: str, point: str = "", occurrence: int = 1) -> Iterator[ForkServerProcess]:
    """Start Suture on a free port."""
    (folder / "port").unlink(missing_ok=True)
    started = CONTEXT.Process(target=run, args=(folder, url, point, occurrence), daemon=True)
    started.start()
    try:
        yield started
    finally:
        started.kill()
        started.join()


async def listening(folder: Path, started: ForkServerProcess) -> int:
    """Return the port once the process listens; 0 when it was killed before."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and started.is_alive():
        if (folder / "port").exists() and (text := (folder / "port").read_text()):
            return int(text)
        await asyncio.sleep(0.1)
    return 0


async def deliver(port: int) -> bool:
    """Send the webhook; return whether it was answered."""
    try:
        return await post(port, "issues", build_issue_event(), GUID) == 202
    except aiohttp.ClientError:
        return False


async def finished(url: str, seconds: float = 120.0) -> bool:
    """Wait until the run is over."""
    store = open_store(url.replace("postgresql://", "postgresql+psycopg://"))
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            runs = await asyncio.to_thread(store.runs.latest)
            done = store.deliveries.count().get("done", 0) == 1
            if done and [run.state for run in runs] == [RunState.FINISHED]:
                return True
            await asyncio.sleep(0.2)
        return False
    finally:
        store.close()


async def dies(started: ForkServerProcess, seconds: float = 120.0) -> bool:
    """Wait until the process killed itself."""
    await asyncio.to_thread(started.join, seconds)
    return not started.is_alive()


def points() -> list[object]:
    """Return every point; all but a few only in the long run."""
    return [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in POINTS]


@pytest.mark.parametrize("point", points())
async def test_a_kill_at_any_point_loses_and_doubles_nothing(
    tmp_path: Path, database_url: str, point: str
) -> None:
    FakeGitHub(tmp_path / GITHUB).allow("maintainer", "write")
    name, _, occurrence = point.partition("#")
    with process(tmp_path, database_url, name, int(occurrence or 1)) as first:
        answered = await deliver(await listening(tmp_path, first))
        assert await dies(first), "the point was never reached"
    assert (tmp_path / KILLED).exists()
    with process(tmp_path, database_url) as second:
        port = await listening(tmp_path, second)
        if not answered:  # GitHub's record says so, and the sweep asks for it again
            assert await deliver(port)
        assert await finished(database_url), (tmp_path / "log").read_text()[-3000:]
    github = FakeGitHub(tmp_path / GITHUB)
    assert len(github.pulls) == 1
    assert len(github.state["checks"]) == 1
    assert list(github.comments) == ["12:issue-12"]
    assert github.pulls[0]["url"] in github.comments["12:issue-12"]
    assert len(github.state["reactions"]) == 2


async def test_the_points_are_those_of_a_whole_flow(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'suture.db'}"
    FakeGitHub(tmp_path / GITHUB).allow("maintainer", "write")
    with process(tmp_path, url) as started:
        assert await deliver(await listening(tmp_path, started))
        assert await finished(url), (tmp_path / "log").read_text()[-3000:]
    reached = (tmp_path / REACHED).read_text().split()
    assert [point for point in POINTS if point.partition("#")[0] not in reached] == []
    assert len(POINTS) >= 12


@pytest.mark.slow
async def test_the_jobs_of_a_dead_worker_are_taken_over(tmp_path: Path, database_url: str) -> None:
    FakeGitHub(tmp_path / GITHUB).allow("maintainer", "write")
    with process(tmp_path, database_url, "engine:done") as first:
        port = await listening(tmp_path, first)
        with process(tmp_path, database_url) as second:
            await listening(tmp_path, second)
            assert await deliver(port)
            assert await finished(database_url), (tmp_path / "log").read_text()[-3000:]
    assert len(FakeGitHub(tmp_path / GITHUB).pulls) == 1
