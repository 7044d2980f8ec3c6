"""Starts one process, feeds it, reads it within limits, and leaves nothing running."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from agent.domain.execution import KillReason
from agent.errors import SandboxFaultError
from agent.sandbox import pipes
from agent.sandbox.capture import Capture

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from agent.domain.execution import Limits
    from agent.sandbox.pipes import Owner

_FLOOD: Final = 64  # times the output limit: then nobody will ever read it, and it only burns the host
_DRAIN_SECONDS: Final = 5.0
_WATCH_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What the process reads: the output of ``command``, then ``archive``."""

    command: Sequence[str] = ()
    archive: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One process to supervise; ``ready`` is what it prints on its error stream once it is set up.

    The descriptors ``inherited`` by the process, and ``collect`` to read from, are given away: they are
    closed here. ``owner`` is who may open its streams again by path; ``kill`` is called with the process's
    id when its tree must end, after its process group was killed. ``memory``, if given, returns what its tree
    holds, which is then compared with the limit a few times a second.
    """

    argv: Sequence[str]
    ready: str
    limits: Limits
    setup_seconds: float
    environment: Mapping[str, str] = field(default_factory=dict)
    owner: Owner | None = None
    feed: Feed = field(default_factory=Feed)
    inherited: tuple[int, ...] = ()
    collect: int | None = None
    kill: Callable[[int], None] = lambda _: None
    memory: Callable[[int], float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the process did; ``code`` is None when a limit ended it."""

    code: int | None
    stdout: str
    stderr: str
    seconds: float
    truncated: bool
    killed_by: KillReason | None
    collected: bytes


async def supervise(job: Job) -> Outcome:
    """Run ``job`` to its end; raise ``SandboxFaultError`` when it never became ready."""
    supervision = _Supervision(job)
    try:
        await supervision.start()
        return await supervision.finish()
    finally:
        await supervision.close()


class _Supervision:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._process: asyncio.subprocess.Process | None = None
        self._feeder: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._transports: list[asyncio.ReadTransport] = []
        self._out = Capture(job.limits.output_bytes)
        self._err = Capture(job.limits.output_bytes)
        self._collected = bytearray()
        self._before_ready = bytearray()
        self._ready = asyncio.Event()
        self._started = 0.0
        self._killed_by: KillReason | None = None

    async def start(self) -> None:
        """Start the process and everything that feeds and reads it."""
        job, owner = self._job, self._job.owner
        with contextlib.ExitStack() as ends:
            ours = [pipes.owned_pipe(ends, owner) for _ in range(3)]
            (stdin, source), (out, stdout), (err, stderr) = ours
            pipes.widen(source)
            for descriptor in (*job.inherited, *([] if job.collect is None else [job.collect])):
                ends.callback(os.close, descriptor)
            self._process = await _launched(job, stdin, stdout, stderr)
            await self._attach(os.dup(out), self._take_output)
            await self._attach(os.dup(err), self._take_error)
            if job.collect is not None:
                await self._attach(os.dup(job.collect), self._take_collected)
            self._spawn(self._feed(os.dup(source)))

    async def finish(self) -> Outcome:
        """Wait until it is set up, then at most the wall limit for its end."""
        assert self._process is not None  # noqa: S101 - start() came first
        await self._until_ready(self._process)
        if self._job.memory is not None:
            self._spawn(self._watch(self._process, self._job.memory))
        try:
            async with asyncio.timeout(self._job.limits.wall_seconds):
                await self._process.wait()
        except TimeoutError:
            self._end(KillReason.TIME)
            await self._process.wait()
        seconds = time.monotonic() - self._started
        self._job.kill(self._process.pid)
        await self._drain()
        return self._outcome(self._process.returncode, seconds)

    async def close(self) -> None:
        """Kill what still runs and let go of every descriptor; safe to call at any time."""
        if self._process is not None and self._process.returncode is None:
            self._end(None)
            await self._process.wait()
        if self._feeder is not None and self._feeder.returncode is None:
            self._feeder.kill()
            await self._feeder.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for transport in self._transports:
            transport.close()

    async def _until_ready(self, process: asyncio.subprocess.Process) -> None:
        waiting = [asyncio.ensure_future(process.wait()), asyncio.ensure_future(self._ready.wait())]
        try:
            await asyncio.wait(waiting, timeout=self._job.setup_seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for future in waiting:
                future.cancel()
        if process.returncode is not None:
            await self._drain()
        if not self._ready.is_set():
            why = "it took too long" if process.returncode is None else self._refusal()
            raise SandboxFaultError(f"the sandbox could not be set up: {why}")

    def _refusal(self) -> str:
        """Return why the set-up failed, by what it said last."""
        said = _first_line(bytes(self._before_ready))
        if "Wrote only" in said or "No space left" in said:
            return f"the project does not fit in {self._job.limits.disk_mb} MiB ({said})"
        return said

    def _outcome(self, code: int | None, seconds: float) -> Outcome:
        killed = self._killed_by is not None or code is None or code < 0
        return Outcome(
            code=None if killed else code,
            stdout=self._out.text(),
            stderr=self._err.text(),
            seconds=seconds,
            truncated=bool(self._out.dropped or self._err.dropped or self._collect_is_full),
            killed_by=self._killed_by,
            collected=bytes(self._collected),
        )

    def _end(self, reason: KillReason | None) -> None:
        self._killed_by = self._killed_by or reason
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._job.kill(self._process.pid)

    def _take_output(self, chunk: bytes) -> None:
        self._out.feed(chunk)
        if self._out.seen > self._job.limits.output_bytes * _FLOOD:
            self._end(KillReason.OUTPUT)

    def _take_error(self, chunk: bytes) -> None:
        if self._ready.is_set():
            self._err.feed(chunk)
            if self._err.seen > self._job.limits.output_bytes * _FLOOD:
                self._end(KillReason.OUTPUT)
            return
        self._before_ready += chunk
        _, mark, rest = self._before_ready.partition(self._job.ready.encode())
        if mark:
            self._started = time.monotonic()
            self._ready.set()
            self._err.feed(bytes(rest))

    def _take_collected(self, chunk: bytes) -> None:
        if not self._collect_is_full:
            self._collected += chunk

    @property
    def _collect_is_full(self) -> bool:
        return len(self._collected) > self._job.limits.collect_bytes

    async def _watch(self, process: asyncio.subprocess.Process, memory: Callable[[int], float]) -> None:
        """End the process when its tree holds more memory than its limit."""
        while process.returncode is None:
            if await asyncio.to_thread(memory, process.pid) > self._job.limits.memory_mb << 20:
                self._end(KillReason.MEMORY)
            await asyncio.sleep(_WATCH_SECONDS)

    async def _attach(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        """Read ``descriptor``, which is given away, until all its writers are gone."""
        reader, transport = await pipes.opened(descriptor)
        self._transports.append(transport)
        self._spawn(pipes.read(reader, take))

    async def _feed(self, descriptor: int) -> None:
        try:
            if self._job.feed.command:
                self._feeder = await asyncio.create_subprocess_exec(
                    *self._job.feed.command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=descriptor,
                    stderr=asyncio.subprocess.DEVNULL,
                )
                await self._feeder.wait()
            if self._job.feed.archive:
                await asyncio.to_thread(pipes.write_all, descriptor, self._job.feed.archive)
        finally:
            os.close(descriptor)

    async def _drain(self) -> None:
        """Read what is left in the pipes; all writers are dead, so this ends by itself."""
        await asyncio.wait(self._tasks, timeout=_DRAIN_SECONDS)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        self._tasks.append(asyncio.create_task(work))


async def _launched(job: Job, stdin: int, stdout: int, stderr: int) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *job.argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=dict(job.environment),
            pass_fds=job.inherited,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # too long, a null byte, no memory, no process left
        why = error.strerror if isinstance(error, OSError) else error
        raise SandboxFaultError(f"the command could not be started: {why}") from error


def _first_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else "it ended without a word"
