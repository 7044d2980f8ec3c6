"""What may run in a sandbox, within which limits, and what was observed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Phase(StrEnum):
    """``INSTALL`` reaches the network and package caches, ``RUN`` reaches neither."""

    INSTALL = "install"
    RUN = "run"


class KillReason(StrEnum):
    """Which limit ended a command."""

    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Upper bounds for one command; sizes in MiB, times in seconds."""

    wall_seconds: float = 120.0
    cpu_seconds: int = 240
    memory_mb: int = 3072
    processes: int = 256
    file_mb: int = 512
    disk_mb: int = 2048
    open_files: int = 2048
    output_bytes: int = 1_000_000
    collect_bytes: int = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A host folder or file shown inside, read-only unless said."""

    host: Path
    inside: str
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxCommand:
    """One command in one fresh sandbox.

    ``tree`` is copied to ``/work`` (a private, sized tmpfs) and so never changed; ``files`` are written over
    it afterwards (keys relative to ``/work``, or absolute below ``/tmp``); ``collect`` names files or folders
    inside to bring back as regular files.
    """

    argv: tuple[str, ...]
    tree: Path | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/work"
    phase: Phase = Phase.RUN
    limits: Limits = field(default_factory=Limits)
    collect: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What a command did. ``exit_code`` is None when it was killed; text is decoded with replacement."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    truncated: bool = False
    killed_by: KillReason | None = None
    collected: Mapping[str, bytes] = field(default_factory=dict)
    unsafe: bool = False

    @property
    def timed_out(self) -> bool:
        """Whether the time limit ended it."""
        return self.killed_by is KillReason.TIME


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What a command executed of a tree.

    ``files`` are those of which functions ran, or if none did those that were loaded; ``functions`` are
    ``(path, line)`` of the first line of each function that ran, a decorator's line where it has one.
    """

    files: frozenset[str] = frozenset()
    functions: frozenset[tuple[str, int]] = frozenset()
