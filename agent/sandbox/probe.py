"""What the sandbox really keeps apart on this host, tried from inside; for ``suture doctor``."""

from __future__ import annotations

import secrets
import shlex
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.domain.execution import Limits, SandboxCommand
from agent.errors import AgentError
from agent.sandbox import cgroups
from agent.sandbox.config import Backend
from agent.sandbox.select import open_sandbox

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from agent.ports import Sandbox
    from agent.sandbox.config import SandboxConfig

_SETTING: Final = "/proc/sys/kernel/core_pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was tried; ``advice`` is what to do when it did not hold."""

    name: str
    held: bool
    detail: str
    advice: str = ""


async def probe(config: SandboxConfig) -> tuple[Finding, ...]:
    """Start a sandbox and try to leave it; the first finding says whether one starts at all."""
    try:
        sandbox = open_sandbox(config)
        tried = await _attempts(sandbox, config.cache)
    except AgentError as error:
        advice = getattr(error, "advice", "Run again; if it stays, report it with this line.")
        reason = getattr(error, "reason", str(error))
        return (Finding(name="start", held=False, detail=reason, advice=advice),)
    started = Finding(name="start", held=True, detail=f"{sandbox.name} ran a command")
    limits = (_together(config),) if sandbox.name == Backend.BUBBLEWRAP else ()
    return (started, *tried, *limits)


async def _attempts(sandbox: Sandbox, cache: Path) -> tuple[Finding, ...]:
    """Try a server on the host's loopback, a file of the host, and a kernel setting."""
    secret = secrets.token_hex(16)
    with _bait(cache, secret) as bait, socket.create_server(("127.0.0.1", 0)) as server:
        lines = await _seen_inside(sandbox, bait, server.getsockname()[1])
    return tuple(_findings(lines, secret))


@contextmanager
def _bait(cache: Path, secret: str) -> Iterator[Path]:
    """Hold a file with ``secret`` that nothing inside may read."""
    cache.mkdir(parents=True, exist_ok=True)
    bait = cache / f"bait-{secrets.token_hex(8)}"
    bait.write_text(secret, encoding="ascii")
    try:
        yield bait
    finally:
        bait.unlink()


async def _seen_inside(sandbox: Sandbox, bait: Path, port: int) -> list[str]:
    program = "\n".join(
        (
            f"grep -ci ':{port:04X} ' /proc/net/tcp",
            f"cat {shlex.quote(str(bait))} 2>/dev/null || echo none",
            f"(: >>{_SETTING}) 2>/dev/null && echo writable || echo denied",
        )
    )
    command = SandboxCommand(argv=("sh", "-c", program), limits=Limits(wall_seconds=30.0))
    return (await sandbox.run(command)).stdout.splitlines()


def _findings(lines: list[str], secret: str) -> Iterable[Finding]:
    listeners, bait, setting = [*lines, "", "", ""][:3]
    advice = "Do not use this backend for repositories you do not trust."
    yield _finding("network", "the host's loopback", reached=listeners != "0", advice=advice)
    yield _finding("files", "a file of the host", reached=secret in bait or not bait, advice=advice)
    yield _finding("kernel", _SETTING, reached=setting != "denied", advice=advice)


def _finding(name: str, what: str, *, reached: bool, advice: str) -> Finding:
    verdict = "can be reached" if reached else "cannot be reached"
    return Finding(name=name, held=not reached, detail=f"{what} {verdict}", advice=advice if reached else "")


def _together(config: SandboxConfig) -> Finding:
    """Say whether a sandbox's processes are limited together, or each by itself only."""
    group = cgroups.create(Limits(), config.cgroup_parent)
    held = group.memory is not None and group.counts_processes
    group.close()
    if held:
        return Finding(name="limits", held=True, detail="memory and processes are limited for all together")
    return Finding(
        name="limits",
        held=False,
        detail="no cgroup can be made: memory is limited for each process only",
        advice="Start Suture as a systemd service with Delegate=yes, or name a folder as cgroup_parent.",
    )
