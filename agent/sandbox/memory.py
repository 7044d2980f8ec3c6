"""How much memory a tree of processes holds, for hosts where no cgroup limits them together."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_KIBIBYTE: Final = 1024


def held(pid: int) -> int:
    """Return the bytes of memory in proportion (PSS) of ``pid`` and all its descendants.

    Inside a process-id namespace nothing leaves the tree: orphans become children of its first process.
    Content of tmpfs is not counted; its size is limited by itself.
    """
    return sum(_proportional(process) for process in _tree(pid))


def _tree(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        current = waiting.pop()
        found.append(current)
        waiting += _children(current)
    return found


def _children(pid: int) -> list[int]:
    try:
        files = list(Path(f"/proc/{pid}/task").glob("*/children"))
        return [int(child) for file in files for child in file.read_text(encoding="ascii").split()]
    except OSError:  # it ended meanwhile
        return []


def _proportional(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:  # it ended, or is just starting another program
        return 0
    lines = (line.split() for line in text.splitlines())
    return next((int(words[1]) * _KIBIBYTE for words in lines if words[0] == "Pss:"), 0)
