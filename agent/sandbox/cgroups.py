"""Limits for a whole sandbox together, where the kernel and our rights allow it; best effort by nature.

Version 2 needs a folder of ours with ``memory`` and ``pids`` to give on (``Delegate=yes`` under systemd, or
``cgroup_parent``); version 1 needs root. The memory limit counts tmpfs content and its inodes too, so it
also bounds a flood of small files.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent.domain.execution import Limits

ROOT: Final = Path("/sys/fs/cgroup")
_REMOVAL_TRIES: Final = 1000
_REMOVAL_PAUSE: Final = 0.01  # seconds; a tmpfs of many files takes its time to go


@dataclass(frozen=True, slots=True, kw_only=True)
class Cgroup:
    """The folders one sandbox is counted in; none when nothing can be limited together."""

    folders: tuple[Path, ...] = ()
    memory: Path | None = None
    counts_processes: bool = False

    @property
    def entrances(self) -> tuple[Path, ...]:
        """Return the files a process writes its id to, to come under the limits."""
        return tuple(folder / "cgroup.procs" for folder in self.folders)

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the kernel ended a process for the memory limit."""
        if self.memory is None:
            return False
        with contextlib.suppress(OSError):
            return _counter(self.memory.read_text(), "oom_kill") > 0
        return False

    def held(self, _: int = 0) -> float:
        """Return infinity once the kernel ended a process: then all shall end, not only the largest."""
        return math.inf if self.ran_out_of_memory else 0

    def close(self) -> None:
        """End what is left and remove the folders; may block for seconds."""
        for folder in self.folders:
            _remove(folder)


def create(limits: Limits, parent: Path | None = None) -> Cgroup:
    """Return a new cgroup with ``limits``, or an empty one where none can be made."""
    name = f"suture-{os.getpid()}-{uuid.uuid4().hex}"
    own = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    return _version_2(limits, name, parent or _unified(own)) or _version_1(limits, name, own)


def sweep(parent: Path | None = None) -> None:
    """Remove what runs of Suture that were killed have left: empty folders of processes that are gone."""
    own = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    controllers = [_controller_folder(name, own) for name in ("memory", "pids")]
    for folder in filter(None, (parent or _unified(own), *controllers)):
        for left in folder.glob("suture-*-*"):
            if not Path("/proc", left.name.split("-")[1]).exists():
                with contextlib.suppress(OSError):  # somebody else's, or its processes are just ending
                    left.rmdir()


def _unified(own: Iterable[str]) -> Path | None:
    """Return our own version 2 folder, None where version 1 holds the memory controller."""
    if not (ROOT / "cgroup.controllers").exists():
        return None
    paths = [line.split(":", 2)[2] for line in own if line.startswith("0::")]
    return ROOT / paths[0].lstrip("/") if paths else None


def _version_2(limits: Limits, name: str, parent: Path | None) -> Cgroup | None:
    if parent is None:
        return None
    folder = parent / name
    try:
        _delegate(parent)
        folder.mkdir()
        (folder / "memory.max").write_text(str(limits.memory_mb << 20))
        (folder / "pids.max").write_text(str(limits.processes))
    except OSError:
        _remove(folder)
        return None
    with contextlib.suppress(OSError):  # no swap accounting: then there is usually no swap
        (folder / "memory.swap.max").write_text("0")
    return Cgroup(folders=(folder,), memory=folder / "memory.events", counts_processes=True)


def _delegate(parent: Path) -> None:
    given = (parent / "cgroup.subtree_control").read_text().split()
    if not {"memory", "pids"} <= set(given):
        (parent / "cgroup.subtree_control").write_text("+memory +pids")


def _version_1(limits: Limits, name: str, own: list[str]) -> Cgroup:
    memory = _controller("memory", name, own, {"memory.limit_in_bytes": limits.memory_mb << 20})
    pids = _controller("pids", name, own, {"pids.max": limits.processes})
    if memory is not None:
        with contextlib.suppress(OSError):  # only where swap is counted
            (memory / "memory.memsw.limit_in_bytes").write_text(str(limits.memory_mb << 20))
    folders = tuple(folder for folder in (memory, pids) if folder is not None)
    return Cgroup(
        folders=folders,
        memory=memory / "memory.oom_control" if memory else None,
        counts_processes=pids is not None,
    )


def _controller(controller: str, name: str, own: list[str], values: dict[str, int]) -> Path | None:
    parent = _controller_folder(controller, own)
    if parent is None:
        return None
    folder = parent / name
    try:
        folder.mkdir()
        for file, value in values.items():
            (folder / file).write_text(str(value))
    except OSError:
        _remove(folder)
        return None
    return folder


def _controller_folder(controller: str, own: list[str]) -> Path | None:
    """Return our own folder of a version 1 controller."""
    paths = [
        path for _, names, path in (line.split(":", 2) for line in own) if controller in names.split(",")
    ]
    return ROOT / controller / paths[0].lstrip("/") if paths else None


def _counter(text: str, name: str) -> int:
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def _remove(folder: Path) -> None:
    """Remove ``folder``, ending what is still in it; a process that just ended is counted for a moment."""
    for _ in range(_REMOVAL_TRIES):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            _kill_all(folder)
            time.sleep(_REMOVAL_PAUSE)
        else:
            return


def _kill_all(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
