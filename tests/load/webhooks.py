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

from bot.store.store import Store, open_store
from tests.fakes.github import FakeGitHub
from tests.integration.bot.running_app import headers, sign
from tests.unit.handlers.builders import build_issue_event, build_push

ROOT = Path(__file__).parents[2]
WRONG_SECRET = "not-the-secret"
DRAIN_SECONDS = 300.0
CONNECTIONS = 64

_Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


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
    cpu: float
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
            f"server processor time until the last answer {self.cpu:.1f} ms a webhook\n"
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
    """Send at a steady rate, whatever the answers take; return times, answers and the rate achieved.

    A time runs from the moment a webhook was due, so a sender that is held up does not flatter the figures.
    Requests are rendered before and sent over kept connections: the sender shares the machine with the server.
    """
    times: list[float] = []
    answers: Counter[int] = Counter()
    requests = [_rendered(shot) for shot in planned]
    idle: asyncio.Queue[_Line] = asyncio.Queue()
    lines = [await asyncio.open_connection("127.0.0.1", port) for _ in range(CONNECTIONS)]
    for line in lines:
        idle.put_nowait(line)

    async def send(request: bytes, due: float) -> None:
        reader, writer = await idle.get()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
        idle.put_nowait((reader, writer))
        times.append((time.perf_counter() - due) * 1000)
        answers[int(head.split(b" ", 2)[1])] += 1

    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number, request in enumerate(requests):
            due = start + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            group.create_task(send(request, due))
    seconds = time.perf_counter() - start
    for _, writer in lines:
        writer.close()
        await writer.wait_closed()
    return times, answers, len(planned) / seconds


def _rendered(shot: Shot) -> bytes:
    signature = sign(shot.body) if shot.good else sign(shot.body, WRONG_SECRET)
    head = headers(shot.event, shot.body, shot.guid, **{"X-Hub-Signature-256": signature})
    lines = ["POST /webhook HTTP/1.1", "Host: localhost", f"Content-Length: {len(shot.body)}"]
    lines += [f"{name}: {value}" for name, value in head.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + shot.body


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
        before = _cpu_ms(process.pid)
        times, answers, achieved = await fire(port, planned, rate)
        cpu = (_cpu_ms(process.pid) - before) / len(planned)
        busy = not (folder / "done").exists()
        store = open_store(url.replace("postgresql://", "postgresql+psycopg://"))
        try:
            return await _figures(store, planned, times, answers, achieved, busy=busy, cpu=cpu)
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
    cpu: float,
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
        cpu=cpu,
        load=os.getloadavg()[0],
    )


def _cpu_ms(pid: int) -> float:
    """Return the processor time a process used so far, without its children's."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


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
