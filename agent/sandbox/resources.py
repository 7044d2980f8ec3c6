"""Limits per process, as words before the command line: they hold for the sandbox and for all inside it.

A process may always lower its own limits, so this needs no rights; setting those of another user's process
from outside would take ``CAP_SYS_RESOURCE``, which containers seldom have.
"""

from __future__ import annotations

import resource
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.domain.execution import Limits
    from agent.sandbox.pipes import Owner

_MEBIBYTE: Final = 1 << 20
_CPU_GRACE: Final = 5  # seconds between SIGXCPU, which names the reason, and SIGKILL


def limited(limits: Limits, uid: int, *, counted: bool) -> list[str]:
    """Return the ``prlimit`` words that start a command of user ``uid`` within ``limits``.

    The kernel counts processes per user and not per sandbox, hence the number of running ones is added;
    ``counted`` says that a cgroup has the exact count, so that sandboxes side by side get room.
    ``RLIMIT_DATA`` rather than ``RLIMIT_AS``: runtimes reserve far more address space than they use.
    """
    processes = tasks(uid) + limits.processes * (16 if counted else 1)
    memory, file = limits.memory_mb * _MEBIBYTE, limits.file_mb * _MEBIBYTE
    bounds = {
        "cpu": (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + _CPU_GRACE),
        "fsize": (resource.RLIMIT_FSIZE, file, file),
        "data": (resource.RLIMIT_DATA, memory, memory),
        "nofile": (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        "nproc": (resource.RLIMIT_NPROC, processes, processes),
        "core": (resource.RLIMIT_CORE, 0, 0),
        "msgqueue": (resource.RLIMIT_MSGQUEUE, 0, 0),
    }
    return ["prlimit", *(_word(name, *bound) for name, bound in bounds.items()), "--"]


def entering(procs: Sequence[Path], owner: Owner | None) -> list[str]:
    """Return the words that join cgroups by their ``cgroup.procs`` files and then become ``owner``.

    Done by the child itself, before its first other instruction: no thread of ours waits for it.
    """
    join = [f"echo $$ >{shlex.quote(str(file))} || exit 125" for file in procs]
    shell = ["/bin/sh", "-c", "\n".join([*join, 'exec "$@"']), "sh"] if join else []
    if owner is None:
        return shell
    return [*shell, "setpriv", f"--reuid={owner.uid}", f"--regid={owner.gid}", "--clear-groups", "--"]


def tasks(uid: int) -> int:
    """Return how many threads of ``uid`` run now."""
    return sum(_threads(folder, uid) for folder in Path("/proc").glob("[0-9]*"))


def _word(name: str, kind: int, soft: int, hard: int) -> str:
    """Return one option, never above what we are allowed ourselves."""
    allowed = resource.getrlimit(kind)[1]
    if allowed != resource.RLIM_INFINITY:
        soft, hard = min(soft, allowed), min(hard, allowed)
    return f"--{name}={soft}:{hard}"


def _threads(folder: Path, uid: int) -> int:
    try:
        if folder.stat().st_uid != uid:
            return 0
        return sum(1 for _ in (folder / "task").iterdir())
    except OSError:  # it ended meanwhile
        return 0
