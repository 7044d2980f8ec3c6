"""Installed environments on disk: built once for a digest, whole or not at all, whoever else is asking."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import secrets
import shutil
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from agent.errors import EnvironmentFailedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

COMPLETE = "complete.json"
FORMAT = 1
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedEnvironment:
    """One environment on disk; ``used`` is the time of its last use, in seconds since the epoch."""

    digest: str
    path: Path
    bytes: int
    used: float


class EnvironmentCache:
    """A folder of environments, safe for several processes; a killed one holds no lock.

    An entry is built beside its place and renamed into it, so that what is there is complete. A process keeps
    a shared lock of the kernel on what it uses; ``purge`` leaves such entries alone.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._held: dict[str, int] = {}

    def find(self, digest: str) -> Path | None:
        """Return the folder of a complete environment and mark it used, None when there is none."""
        folder = self._root / digest
        if not (folder / COMPLETE).is_file():
            return None
        self._hold(digest)
        if not (folder / COMPLETE).is_file():  # purged before we held it
            return None
        os.utime(folder / COMPLETE)
        return folder

    @asynccontextmanager
    async def building(self, digest: str, *, seconds: float) -> AsyncIterator[Path]:
        """Yield a fresh folder to build in; only one builder of a digest goes at a time.

        Raises ``EnvironmentFailedError`` (retryable) when another one takes longer than ``seconds``. The
        folder is removed unless ``publish`` was called. Look with ``find`` again inside: the other may have
        succeeded.
        """
        self._root.mkdir(parents=True, exist_ok=True)
        # a lock of its own: the one who builds looks, and then holds the other
        with (self._root / f"{digest}.building").open("ab") as lock:
            await _locked(lock, seconds)
            for left in self._root.glob(f"{digest}.building-*"):
                await asyncio.to_thread(_remove, left)
            folder = self._root / f"{digest}.building-{secrets.token_hex(4)}"
            folder.mkdir()
            try:
                yield folder
            finally:
                if folder.exists():
                    await asyncio.to_thread(_remove, folder)

    def publish(self, digest: str, folder: Path, facts: Mapping[str, object]) -> Path:
        """Declare a folder from ``building`` complete and return where it is now."""
        target = self._root / digest
        partial = folder / f"{COMPLETE}.partial"
        with partial.open("w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, **facts}, file)
            file.flush()
            os.fsync(file.fileno())
        partial.rename(folder / COMPLETE)
        if target.exists():
            _remove(target)
        folder.rename(target)
        return target

    def facts(self, digest: str) -> Mapping[str, object]:
        """Return what was said at ``publish``, empty when that cannot be read."""
        try:
            found = json.loads((self._root / digest / COMPLETE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def entries(self) -> tuple[CachedEnvironment, ...]:
        """Return the complete environments with their sizes, least recently used first."""
        found = [
            CachedEnvironment(
                digest=mark.parent.name, path=mark.parent, bytes=_size(mark.parent), used=mark.stat().st_mtime
            )
            for mark in self._root.glob(f"*/{COMPLETE}")
            if ".building-" not in mark.parent.name
        ]
        return tuple(sorted(found, key=lambda one: one.used))

    def purge(self, *, keep_bytes: int = 0) -> tuple[CachedEnvironment, ...]:
        """Remove the least recently used environments until ``keep_bytes`` are left; return what was removed.

        What any process uses stays, and so does what is being built.
        """
        removed = []
        entries = self.entries()
        left = sum(entry.bytes for entry in entries)
        for entry in entries:
            if left <= keep_bytes:
                break
            if self._remove_unused(entry):
                removed.append(entry)
                left -= entry.bytes
        return tuple(removed)

    def _remove_unused(self, entry: CachedEnvironment) -> bool:
        if entry.digest in self._held:
            return False
        with self._lock_file(entry.digest).open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
            (entry.path / COMPLETE).unlink(missing_ok=True)
            _remove(entry.path)
            return True

    def _lock_file(self, digest: str) -> Path:
        return self._root / f"{digest}.lock"

    def _hold(self, digest: str) -> None:
        if digest not in self._held:
            lock = os.open(self._lock_file(digest), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_SH)
            self._held[digest] = lock

    def _release(self, digest: str) -> None:
        held = self._held.pop(digest, None)
        if held is not None:
            os.close(held)

    def close(self) -> None:
        """Let go of everything that is in use."""
        for digest in tuple(self._held):
            self._release(digest)


async def _locked(lock: IO[bytes], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > deadline:
                raise EnvironmentFailedError(
                    f"another run has been installing the same environment for {seconds:.0f} s",
                    retryable=True,
                ) from None
            await asyncio.sleep(POLL_SECONDS)
        else:
            return


def _remove(folder: Path) -> None:
    """Remove a folder, also where an install left folders without write permission."""

    def allowed(_function: object, path: str, _error: object) -> None:
        Path(path).parent.chmod(0o700)
        if Path(path).is_dir() and not Path(path).is_symlink():
            Path(path).chmod(0o700)
            shutil.rmtree(path, ignore_errors=True)
        else:
            Path(path).unlink(missing_ok=True)

    shutil.rmtree(folder, onerror=allowed)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
