"""Pipes to and from a sandbox: opened for its user, read without blocking the loop."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK: Final = 65_536
_WIDE: Final = 1 << 20  # what /proc/sys/fs/pipe-max-size allows everybody


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The host user a sandbox runs as when we are root."""

    uid: int
    gid: int


def owned_pipe(ends: contextlib.ExitStack, owner: Owner | None) -> tuple[int, int]:
    """Return a pipe (reading end, writing end) that ``ends`` closes."""
    pair = channel(owner)
    for end in pair:
        ends.callback(os.close, end)
    return pair


def channel(owner: Owner | None) -> tuple[int, int]:
    """Return a pipe that ``owner`` may open again by its path, as ``/dev/stdout`` is."""
    pair = os.pipe()
    if owner is not None:
        for end in pair:
            os.fchown(end, owner.uid, owner.gid)
    return pair


def widen(descriptor: int) -> None:
    """Let the pipe hold more, so that writer and reader wait for one another less often."""
    with contextlib.suppress(OSError):  # the user's pipes hold too much already
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _WIDE)


async def opened(descriptor: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    """Return a reader of ``descriptor``, which is given away to its transport."""
    reader = asyncio.StreamReader(limit=_CHUNK)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", buffering=0)
    )
    return reader, transport


async def read(reader: asyncio.StreamReader, take: Callable[[bytes], None]) -> None:
    """Hand every chunk to ``take`` until all writers are gone."""
    while chunk := await reader.read(_CHUNK):
        take(chunk)


def write_all(descriptor: int, content: bytes) -> None:
    """Write ``content``, blocking; a reader that died is reported elsewhere."""
    with contextlib.suppress(BrokenPipeError):
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
