"""The whole App in this process: real server, real durable engine, fakes of the ports."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import hmac
import json
import time
import uuid
import warnings
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
from pydantic import SecretStr

from bot.app import App, Ports
from bot.settings import Settings
from tests.fakes.checkouts import FakeCheckouts, FakeIndexer
from tests.fakes.github import FakeGitHub
from tests.unit.handlers.builders import APP_ID, SLUG

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from tests.fakes.engine import ScriptedEngine

SECRET = "s3cret-of-the-tests"


def build_settings(folder: Path, url: str, **changes: Any) -> Settings:
    """Return settings for a test."""
    values: dict[str, Any] = {
        "data_dir": folder,
        "cache_dir": folder / "cache",
        "database_url": SecretStr(url),
        "webhook_secret": SecretStr(SECRET),
        "app_id": APP_ID,
        "app_slug": SLUG,
        "port": 0,
        **changes,
    }
    return Settings(**values)


def sign(body: bytes, secret: str = SECRET) -> str:
    """Return the signature header of a body."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers(event: str, body: bytes, guid: str = "", **changes: str) -> dict[str, str]:
    """Return the headers GitHub sends."""
    return {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid or str(uuid.uuid4()),
        "X-Hub-Signature-256": sign(body),
        "Content-Type": "application/json",
        **changes,
    }


async def post(port: int, event: str, payload: Mapping[str, Any], guid: str = "") -> int:
    """Deliver one webhook; return the status."""
    body = json.dumps(payload).encode()
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"http://127.0.0.1:{port}/webhook", data=body, headers=headers(event, body, guid)
        ) as answer,
    ):
        return answer.status


def build_ports(folder: Path, github: FakeGitHub, engine: ScriptedEngine) -> Ports:
    """Return fakes of all ports."""
    return Ports(
        github=github, checkouts=FakeCheckouts(folder / "trees"), engine=engine, indexer=FakeIndexer()
    )


@asynccontextmanager
async def running(folder: Path, url: str, engine: ScriptedEngine, **changes: Any) -> AsyncIterator[App]:
    """Start the App, stop it afterwards."""
    github = FakeGitHub()
    github.allow("maintainer", "write")
    app = App(settings=build_settings(folder, url, **changes), ports=build_ports(folder, github, engine))
    await app.start()
    try:
        yield app
    finally:
        await app.stop()
        _collect()


def _collect() -> None:
    """Collect connections that the engine's own polls still held when it was stopped, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


async def settled(app: App, seconds: float = 30.0) -> None:
    """Wait until no job waits or runs."""
    deadline = time.monotonic() + seconds
    while await asyncio.to_thread(app.jobs.unfinished):
        if time.monotonic() > deadline:
            raise TimeoutError("jobs are still running")
        await asyncio.sleep(0.1)


async def until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something holds that happens on the jobs' own loop."""
    deadline = time.monotonic() + seconds
    while not holds():  # an event of one loop cannot be awaited on another
        if time.monotonic() > deadline:
            raise TimeoutError("it never came")
        await asyncio.sleep(0.05)


def fake_of(app: App) -> FakeGitHub:
    """Return the App's GitHub."""
    github = app.ports.github
    assert isinstance(github, FakeGitHub)
    return github
