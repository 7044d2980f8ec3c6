"""A tree that stays between commands: what a plain agent gets instead of the host's shell.

Each command runs in a fresh sandbox with the same writable folder at ``/work``, the project's environment, no
network and no history. It is reached over a local socket: one line of JSON in, one out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agent.domain.execution import Limits, Mount, SandboxCommand
from agent.errors import SandboxFaultError
from evaluation.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from agent.domain.execution import Execution
    from agent.domain.project import Environment
    from agent.ports import Sandbox

MADE = frozenset({"__pycache__", ".pytest_cache", "node_modules", ".cache", ".git", ".mypy_cache", "build"})
MOST_BYTES = 2_000_000
MOST_SECONDS = 600.0
MOST_REQUEST = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxShell:
    """``folder`` is the writable tree, ``original`` the one it was copied from, ``socket`` where it is reached.

    ``log`` holds every command as the trajectory of a run would.
    """

    sandbox: Sandbox
    environment: Environment
    original: Path
    folder: Path
    socket: Path
    log: list[dict[str, object]] = field(default_factory=list)

    async def run(
        self, command: str, *, seconds: float, env: dict[str, str] | None = None, cwd: str = "/work"
    ) -> Execution:
        """Run one shell line on the tree as it is now."""
        mounts = (Mount(host=self.folder, inside="/work", writable=True), *self.environment.mounts)
        wall = min(seconds, MOST_SECONDS)
        done = await self.sandbox.run(
            SandboxCommand(
                argv=("bash", "-c", command),
                mounts=mounts,
                env={**self.environment.env, **(env or {})},
                cwd=cwd if cwd.startswith("/work") else "/work",
                limits=Limits(
                    wall_seconds=wall, cpu_seconds=int(wall * 4) + 60, memory_mb=6144, processes=1024
                ),
            )
        )
        self.log.append(
            {
                "event": "command",
                "argv": ["bash", "-c", command],
                "phase": "run",
                "exit_code": done.exit_code,
                "stdout": done.stdout,
                "stderr": done.stderr,
            }
        )
        return done

    async def answer(self, request: bytes) -> dict[str, object]:
        """Answer one request of the socket; a broken one is an answer too."""
        try:
            asked = json.loads(request)
            done = await self.run(
                str(asked["command"]),
                seconds=float(asked.get("seconds", 120)),
                env={str(name): str(value) for name, value in dict(asked.get("env", {})).items()},
                cwd=str(asked.get("cwd", "/work")),
            )
        except (ValueError, KeyError, TypeError) as error:
            return {"output": f"the request cannot be read: {type(error).__name__}", "returncode": 2}
        except SandboxFaultError as error:
            return {"output": f"the sandbox failed: {error}", "returncode": 125}
        ended = "" if done.killed_by is None else f"\n[stopped: {done.killed_by.value} limit]"
        code = 124 if done.exit_code is None else done.exit_code
        return {"output": done.stdout + done.stderr + ended, "returncode": code}

    def changes(self) -> dict[str, bytes | None]:
        """Return what differs from the original: regular files only, without what tools leave behind."""
        before, after = dict(_files(self.original)), dict(_files(self.folder))
        found: dict[str, bytes | None] = {path: None for path in before if path not in after}
        for path, place in after.items():
            content = place.read_bytes()
            if path not in before or before[path].read_bytes() != content:
                found[path] = content
        return found


@contextlib.asynccontextmanager
async def open_shell(
    sandbox: Sandbox, environment: Environment, tree: Path, scratch: Path
) -> AsyncIterator[SandboxShell]:
    """Copy ``tree`` and serve it; raise ``EvaluationError`` when the copy cannot be made."""
    root = await asyncio.to_thread(_private_folder, scratch)
    folder = sandbox.prepare_directory(root / "work")
    shell = SandboxShell(
        sandbox=sandbox, environment=environment, original=tree, folder=folder, socket=root / "socket"
    )
    server = None
    try:
        await _copied(shell, tree)
        server = await asyncio.start_unix_server(
            lambda reader, writer: _serve(shell, reader, writer), path=shell.socket, limit=MOST_REQUEST
        )
        yield shell
    finally:
        if server is not None:
            server.close()
            await server.wait_closed()
        await asyncio.to_thread(shutil.rmtree, root, ignore_errors=True)


def _private_folder(scratch: Path) -> Path:
    """Return a new folder that the sandbox's user can pass through and nobody can list."""
    root = Path(tempfile.mkdtemp(prefix="shell-", dir=scratch))
    root.chmod(0o711)
    return root


async def _copied(shell: SandboxShell, tree: Path) -> None:
    done = await shell.sandbox.run(
        SandboxCommand(
            argv=("cp", "-a", "/work/.", "/tree/"),
            tree=tree,
            mounts=(Mount(host=shell.folder, inside="/tree", writable=True),),
        )
    )
    if done.exit_code != 0:
        raise EvaluationError(f"the tree cannot be copied for the agent: {done.stderr.strip()[:200]}")


async def _serve(shell: SandboxShell, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, ValueError):
        while request := await reader.readline():
            writer.write(json.dumps(await shell.answer(request)).encode() + b"\n")
            await writer.drain()
    writer.close()


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in MADE and not name.endswith(".egg-info")]
        for name in names:
            place = Path(folder, name)
            status = place.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_size <= MOST_BYTES and not name.endswith(".pyc"):
                yield place.relative_to(root).as_posix(), place
