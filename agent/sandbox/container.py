"""The container backend: one container for each command, removed with everything in it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent.domain.execution import Mount, Phase
from agent.errors import SandboxFaultError, SandboxUnavailableError
from agent.sandbox import container_command, script
from agent.sandbox.jobs import execution_of, feed_of
from agent.sandbox.supervision import Feed, Job, supervise
from agent.sandbox.variables import certificate_paths, inside_variables

if TYPE_CHECKING:
    from agent.domain.execution import Execution, SandboxCommand
    from agent.sandbox.config import SandboxConfig
    from agent.sandbox.supervision import Outcome

_ENGINE_SECONDS: Final = 60.0
_CHUNK: Final = 65_536


class ContainerSandbox:
    """Runs commands through docker or podman.

    Raises ``SandboxUnavailableError`` when the engine's program is missing. The image must hold ``sh``,
    ``tar`` and ``sleep``, and what the mounted interpreters link to.
    """

    name = "container"

    def __init__(self, config: SandboxConfig) -> None:
        engine = shutil.which(config.container.engine)
        if engine is None:
            raise SandboxUnavailableError(
                f"{config.container.engine} is not installed", "Install docker or podman, or use bubblewrap."
            )
        self._config = replace(config, container=replace(config.container, engine=engine))
        root = os.geteuid() == 0
        self._identity = container_command.Identity(
            uid=config.host_uid if root else os.getuid(), gid=config.host_gid if root else os.getgid()
        )

    def prepare_directory(self, path: Path) -> Path:
        """Create ``path`` for the user inside; return it."""
        path.mkdir(parents=True, exist_ok=True)
        os.chown(path, self._identity.uid, self._identity.gid)
        path.chmod(0o750)
        return path

    async def run(self, command: SandboxCommand) -> Execution:
        """Run ``command`` in a container of its own."""
        name = f"suture-{secrets.token_hex(12)}"
        try:
            await self._engine(self._start(name, command))
            outcome = await self._execute(name, command)
            collected = await self._collect(name, command) if outcome.code is not None else b""
            memory = outcome.code != 0 and await self._ran_out_of_memory(name)
            return execution_of(command, replace(outcome, collected=collected), ran_out_of_memory=memory)
        finally:
            await asyncio.shield(self._remove(name))

    def _start(self, name: str, command: SandboxCommand) -> list[str]:
        return container_command.start(
            name,
            self._config.container,
            identity=self._identity,
            phase=command.phase,
            limits=command.limits,
            mounts=(*self._network_mounts(command), *command.mounts),
        )

    def _network_mounts(self, command: SandboxCommand) -> list[Mount]:
        if command.phase is not Phase.INSTALL:
            return []
        named = [Path(path) for path in certificate_paths(inside_variables(command, self._config))]
        paths = dict.fromkeys((*named, *self._config.install_paths))
        return [Mount(host=path.resolve(), inside=str(path)) for path in paths if path.exists()]

    async def _execute(self, name: str, command: SandboxCommand) -> Outcome:
        ready, feed = f"ready {secrets.token_hex(16)}", feed_of(command)
        program = script.inside(
            cwd=command.cwd, ready=ready, unpack=script.unpacking() if feed != Feed() else ""
        )
        environment = inside_variables(command, self._config)
        argv = container_command.execute(name, self._config.container, program, command.argv, environment)
        return await supervise(
            Job(
                argv=argv,
                ready=ready,
                limits=command.limits,
                setup_seconds=self._config.setup_seconds,
                environment=self._config.environment,
                feed=feed,
            )
        )

    async def _collect(self, name: str, command: SandboxCommand) -> bytes:
        if not command.collect:
            return b""
        step = script.collecting(command.collect, to="-")
        argv = container_command.execute(name, self._config.container, step, (), {})
        return await self._engine(argv, most=command.limits.collect_bytes, checked=False)

    async def _ran_out_of_memory(self, name: str) -> bool:
        argv = container_command.out_of_memory(name, self._config.container)
        return (await self._engine(argv, checked=False)).strip() == b"true"

    async def _remove(self, name: str) -> None:
        await self._engine(container_command.remove(name, self._config.container), checked=False)

    async def _engine(self, argv: list[str], *, most: int = _CHUNK, checked: bool = True) -> bytes:
        """Return the first ``most`` bytes an engine command prints; raise when a ``checked`` one fails."""
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT if checked else asyncio.subprocess.DEVNULL,
            env=dict(self._config.environment),
        )
        printed = b""
        try:
            async with asyncio.timeout(_ENGINE_SECONDS):
                printed = await _first(process, most)
                code = await process.wait()
        except TimeoutError:
            raise SandboxFaultError(f"{argv[0]} {argv[1]} took longer than {_ENGINE_SECONDS:.0f} s") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        if checked and code != 0:
            said = printed.decode(errors="replace").strip().splitlines() or ["no message"]
            raise SandboxFaultError(f"{argv[0]} {argv[1]} failed: {said[0]}")
        return printed


async def _first(process: asyncio.subprocess.Process, most: int) -> bytes:
    assert process.stdout is not None  # noqa: S101 - it was opened as a pipe
    printed = bytearray()
    while chunk := await process.stdout.read(_CHUNK):
        printed += chunk
        if len(printed) > most:
            process.kill()
            break
    return bytes(printed[:most])
