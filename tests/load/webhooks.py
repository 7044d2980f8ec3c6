"""Sends webhooks at a steady rate to a Suture that is busy with a run, and prints what came of it.

    python -m tests.load.webhooks [--count 2000] [--rate 200] [--database URL]

Half of the deliveries are repeats of another; a tenth carries a wrong signature. The server is a process of
its own; the run is a scripted engine with a subprocess that burns one processor all the while.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.store.store import Store, open_store
from tests.fakes.github import FakeGitHub
from tests.integration.bot.running_app import headers, sign
from tests.unit.handlers.builders import build_issue_event, build_push

ROOT = Path(__file__).parents[2]
WRONG_SECRET = "not-the-secret"
DRAIN_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One webhook to send."""

    guid: str
    event: str
    body: bytes
    good: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was measured; times in milliseconds."""

    sent: int
    rate: float
    p50: float
    p99: float
    worst: float
    answers: dict[int, int]
    expected: int
    stored: int
    states: dict[str, int]
    run_was_busy: bool
    load: float

    @property
    def lost(self) -> int:
        """Return how many good deliveries are not stored."""
        return self.expected - self.stored

    def text(self) -> str:
        """Return the figures for people."""
        return (
            f"sent {self.sent} at {self.rate:.0f}/s, answers {self.answers}\n"
            f"answer time p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms, worst {self.worst:.1f} ms\n"
            f"distinct good deliveries {self.expected}, stored {self.stored}, lost {self.lost}\n"
            f"states after the drain {self.states}; a run was busy all the while: {self.run_was_busy}\n"
            f"load average at the end {self.load:.1f} on {os.cpu_count()} processors"
        )


def shots(count: int, seed: int = 7) -> list[Shot]:
    """Return the webhooks: each GUID twice, one in ten wrongly signed, in random order."""
    chance = random.Random(seed)
    made = []
    for number in range(count // 2):
        guid = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        event, payload = ("push", build_push("refs/heads/topic"))
        if number % 2:
            event, payload = "issues", build_issue_event(label="question", number=number + 100)
            payload["issue"]["labels"] = []
        body = json.dumps(payload).encode()
        made += [Shot(guid=guid, event=event, body=body, good=chance.random() >= 0.1) for _ in range(2)]
    chance.shuffle(made)
    return made


async def fire(port: int, planned: list[Shot], rate: float) -> tuple[list[float], Counter[int], float]:
    """Send at a steady rate, whatever the answers take; return times, answers and the rate achieved."""
    times: list[float] = []
    answers: Counter[int] = Counter()
    address = f"http://127.0.0.1:{port}/webhook"
    connector = aiohttp.TCPConnector(limit=0)

    async def send(session: aiohttp.ClientSession, shot: Shot) -> None:
        signature = sign(shot.body) if shot.good else sign(shot.body, WRONG_SECRET)
        head = headers(shot.event, shot.body, shot.guid, **{"X-Hub-Signature-256": signature})
        began = time.perf_counter()
        async with session.post(address, data=shot.body, headers=head) as answer:
            await answer.read()
            times.append((time.perf_counter() - began) * 1000)
            answers[answer.status] += 1

    async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
        start = time.perf_counter()
        for number, shot in enumerate(planned):
            await asyncio.sleep(max(0.0, start + number / rate - time.perf_counter()))
            group.create_task(send(session, shot))
        seconds = time.perf_counter() - start
    return times, answers, len(planned) / seconds


async def measure(folder: Path, url: str, count: int, rate: float) -> Figures:
    """Start Suture, keep it busy, fire, wait until all is read, and look into its store."""
    FakeGitHub(folder / "github.json").allow("maintainer", "write")
    command = [sys.executable, "-m", "tests.load.busy_process", str(folder), url]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)  # noqa: ASYNC220  # once, before anything
    try:
        port = await _port(folder, process)
        await fire(port, [_busy_shot()], 1000)
        await _until((folder / "busy").exists, 60)
        planned = shots(count)
        times, answers, achieved = await fire(port, planned, rate)
        busy = not (folder / "done").exists()
        store = open_store(url.replace("postgresql://", "postgresql+psycopg://"))
        try:
            return await _figures(store, planned, times, answers, achieved, busy=busy)
        finally:
            store.close()
    finally:
        process.terminate()
        process.wait(30)


async def _figures(
    store: Store,
    planned: list[Shot],
    times: list[float],
    answers: Counter[int],
    rate: float,
    *,
    busy: bool,
) -> Figures:
    good = {shot.guid for shot in planned if shot.good}
    # The delivery that started the busy run is concluded as soon as the run is queued.
    await _until(lambda: store.deliveries.count().get("accepted", 0) == 0, DRAIN_SECONDS)
    ordered = sorted(times)
    return Figures(
        sent=len(times),
        rate=rate,
        p50=ordered[len(ordered) // 2],
        p99=ordered[int(len(ordered) * 0.99)],
        worst=ordered[-1],
        answers=dict(answers),
        expected=len(good),
        stored=len(store.deliveries.known(good)),
        states=store.deliveries.count(),
        run_was_busy=busy,
        load=os.getloadavg()[0],
    )


def _busy_shot() -> Shot:
    body = json.dumps(build_issue_event()).encode()
    return Shot(guid=str(uuid.uuid4()), event="issues", body=body, good=True)


async def _port(folder: Path, process: subprocess.Popen[bytes]) -> int:
    await _until(lambda: process.poll() is not None or bool(_text(folder / "port")), 60)
    if process.poll() is not None:
        raise RuntimeError((folder / "log").read_text()[-2000:])
    return int(_text(folder / "port"))


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


async def _until(holds: object, seconds: float) -> None:
    assert callable(holds)
    deadline = time.monotonic() + seconds
    while not await asyncio.to_thread(holds):
        if time.monotonic() > deadline:
            raise TimeoutError("it never came")
        await asyncio.sleep(0.1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=220.0)
    parser.add_argument("--database", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = options.database or f"sqlite:///{folder / 'suture.db'}"
        figures = asyncio.run(measure(folder, url, options.count, options.rate))
    sys.stdout.write(figures.text() + "\n")


if __name__ == "__main__":
    main()
