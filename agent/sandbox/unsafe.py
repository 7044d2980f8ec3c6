"""No sandbox at all, for a tree the operator trusts: copies, limits and the clean-up stay, walls do not."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import signal
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent.sandbox import memory, resources, script
from agent.sandbox.jobs import execution_of, feed_of
from agent.sandbox.pipes import channel
from agent.sandbox.supervision import Feed, Job, supervise
from agent.sandbox.variables import HOME, inside_variables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent.domain.execution import Execution, SandboxCommand
    from agent.sandbox.config import SandboxConfig

_MARK: Final = "SUTURE_RUN"
_KILL_ROUNDS: Final = 50


class UnsafeSandbox:
    """Runs commands on the host itself and says so in every Execution.

    ``/work``, ``/tmp`` and the home folder become folders of a temporary one, and are replaced by their real
    paths wherever a command names them. Mounts are shown through links, so read-only ones are not enforced.
    """

    name = "unsafe"

    def __init__(self, config: SandboxConfig) -> None:
        self._config = config

    def prepare_directory(self, path: Path) -> Path:
        """Create ``path`` for us alone; return it."""
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o700)
        return path

    async def run(self, command: SandboxCommand) -> Execution:
        """Run ``command`` in a temporary copy."""
        root = Path(tempfile.mkdtemp(prefix="suture-unsafe-"))
        try:
            return await self._run(command, root)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    async def _run(self, command: SandboxCommand, root: Path) -> Execution:
        places, feed = _lay_out(command, root), feed_of(command)
        real = rebased(command, places)
        run = secrets.token_hex(16)
        returning = channel(None) if command.collect else None
        to = f"/proc/self/fd/{returning[1]}" if returning else ""
        program = script.inside(
            cwd=real.cwd,
            ready=f"ready {run}",
            unpack=script.unpacking(str(root)) if feed != Feed() else "",
            collect=script.collecting(real.collect, to=to, root=places["/work"]) if returning else "",
        )
        environment = {
            name: _moved(value, places) for name, value in inside_variables(command, self._config).items()
        }
        outcome = await supervise(
            Job(
                argv=[
                    *resources.limited(command.limits, os.getuid(), counted=False),
                    *("/bin/sh", "-c", program, "sh", *real.argv),
                ],
                ready=f"ready {run}",
                limits=command.limits,
                setup_seconds=self._config.setup_seconds,
                environment={**environment, _MARK: run},
                feed=feed,
                inherited=(returning[1],) if returning else (),
                collect=returning[0] if returning else None,
                memory=memory.held,
                kill=lambda _: _kill_marked(f"{_MARK}={run}"),
            )
        )
        observed = execution_of(real, outcome, unsafe=True)
        names = dict(zip(real.collect, command.collect, strict=True))
        collected = {_renamed(name, names): content for name, content in observed.collected.items()}
        return replace(observed, argv=command.argv, collected=collected)


def rebased(command: SandboxCommand, places: Mapping[str, str]) -> SandboxCommand:
    """Return ``command`` with every path of ``places`` replaced by the real one."""
    return replace(
        command,
        argv=tuple(_moved(word, places) for word in command.argv),
        cwd=_moved(command.cwd, places),
        collect=tuple(_moved(path, places) for path in command.collect),
    )


def _moved(text: str, places: Mapping[str, str]) -> str:
    """Replace whole paths in one pass, longest first, so that a replacement is never replaced again."""
    longest_first = sorted(places, key=len, reverse=True)
    pattern = rf"(?<![\w./-])({'|'.join(map(re.escape, longest_first))})(?![\w.-])"
    return re.sub(pattern, lambda match: places[match[1]], text)


def _renamed(name: str, names: Mapping[str, str]) -> str:
    for real, asked in names.items():
        if name == real or name.startswith(f"{real.rstrip('/')}/"):
            return asked + name[len(real) :]
    return name


def _lay_out(command: SandboxCommand, root: Path) -> dict[str, str]:
    """Create the private folders and the links for mounts; return which path means which."""
    places = {"/work": str(root / "work"), "/tmp": str(root / "tmp"), HOME: str(root / "home")}  # noqa: S108
    for folder in places.values():
        Path(folder).mkdir()
    for mount in command.mounts:
        places[str(mount.host)] = str(mount.host)
        if mount.inside.startswith("/work/"):
            link = root / mount.inside[1:]
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(mount.host.absolute())
        else:
            places[mount.inside] = str(mount.host)
    return places


def _kill_marked(mark: str) -> None:
    """Kill every process whose environment carries ``mark``, also one in a session of its own."""
    for _ in range(_KILL_ROUNDS):
        marked = [folder for folder in Path("/proc").glob("[0-9]*") if _is_marked(folder, mark)]
        if not marked:
            return
        for folder in marked:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(folder.name), signal.SIGKILL)


def _is_marked(folder: Path, mark: str) -> bool:
    with contextlib.suppress(OSError):  # another user's, or it ended meanwhile
        return mark.encode() in (folder / "environ").read_bytes().split(b"\0")
    return False
