"""Chooses the backend: the configured one, or the first that really starts; never none in silence."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent.domain.execution import Limits, SandboxCommand
from agent.errors import SandboxFaultError, SandboxUnavailableError
from agent.sandbox.advice import SETTINGS, advice
from agent.sandbox.bubblewrap import BubblewrapSandbox
from agent.sandbox.config import Backend
from agent.sandbox.container import ContainerSandbox
from agent.sandbox.unsafe import UnsafeSandbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent.domain.execution import Execution
    from agent.ports import Sandbox
    from agent.sandbox.config import SandboxConfig

_BACKENDS: Final[dict[Backend, Callable[[SandboxConfig], Sandbox]]] = {
    Backend.BUBBLEWRAP: BubblewrapSandbox,
    Backend.CONTAINER: ContainerSandbox,
    Backend.UNSAFE: UnsafeSandbox,
}
_AUTOMATIC: Final = (Backend.BUBBLEWRAP, Backend.CONTAINER)
_UNSAFE_ADVICE: Final = "For a tree you trust, --unsafe-no-sandbox runs without one."


def open_sandbox(config: SandboxConfig) -> Sandbox:
    """Return a sandbox that has just run a command here.

    Raises ``SandboxUnavailableError`` with the reason of each backend that was tried, and what to type.
    Blocks for the time of one start; may be called inside a running event loop.
    """
    refusals: list[SandboxUnavailableError] = []
    for backend in _AUTOMATIC if config.backend is Backend.AUTO else (config.backend,):
        try:
            return _started(_BACKENDS[backend](config))
        except SandboxUnavailableError as refusal:
            refusals.append(refusal)
    raise SandboxUnavailableError(
        "; ".join(refusal.reason for refusal in refusals), f"{refusals[0].advice} {_UNSAFE_ADVICE}"
    )


def _started(sandbox: Sandbox) -> Sandbox:
    """Return ``sandbox`` after it ran a command."""
    try:
        execution = _run_now(sandbox, SandboxCommand(argv=("true",), limits=Limits(wall_seconds=30.0)))
    except SandboxFaultError as fault:
        found = advice(str(fault), host_settings())
        raise SandboxUnavailableError(f"{sandbox.name}: {found.reason}", found.remedy) from fault
    if execution.exit_code != 0:
        found = advice(execution.stderr.strip() or f"exit code {execution.exit_code}", host_settings())
        raise SandboxUnavailableError(f"{sandbox.name}: {found.reason}", found.remedy)
    return sandbox


def _run_now(sandbox: Sandbox, command: SandboxCommand) -> Execution:
    """Run ``command`` in a loop of its own, as the caller may be inside one already."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(lambda: asyncio.run(sandbox.run(command))).result()


def host_settings() -> dict[str, str]:
    """Return the kernel settings that decide whether namespaces may be made."""
    files = {name: Path("/proc/sys") / name for name in SETTINGS}
    return {name: file.read_text(encoding="ascii").strip() for name, file in files.items() if file.exists()}
