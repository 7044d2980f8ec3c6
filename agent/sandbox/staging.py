"""Makes host folders reachable for the sandbox's own user without showing them to anybody else.

A sandbox started by root runs as a user who cannot enter ``/root`` or a private home. What such a command
needs to see (an interpreter, the environment's folder) is linked, or where that is not possible copied, into
a folder of Suture's cache that only root and the sandbox's group may enter, and shown at its own path inside.
Project trees are never staged: they go in as a stream.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from typing import TYPE_CHECKING

from agent.errors import SandboxUnavailableError

if TYPE_CHECKING:
    from pathlib import Path

    from agent.sandbox.pipes import Owner


class Staging:
    """Answers where a host path can be read from; ``owner`` is None when we run as a normal user."""

    def __init__(self, cache: Path, owner: Owner | None) -> None:
        self._cache = cache
        self._folder = cache / "sandbox" / "reachable"
        self._owner = owner
        self._known: dict[Path, Path] = {}

    def reachable(self, path: Path) -> Path:
        """Return ``path``, or a copy of it that the sandbox's user can read."""
        real = path.resolve()
        if self._owner is None or _can_read(real, self._owner):
            return real
        if real not in self._known:
            self._known[real] = self._stage(real, self._owner)
        return self._known[real]

    def prepare_directory(self, path: Path) -> Path:
        """Create ``path`` so that the sandbox may write in it and other users may not enter; return it.

        Raises ``SandboxUnavailableError`` when the sandbox's user cannot get there.
        """
        path.mkdir(parents=True, exist_ok=True)
        if self._owner is None:
            path.chmod(0o700)
            return path
        self._open_parents(path, self._owner)
        os.chown(path, self._owner.uid, self._owner.gid)
        path.chmod(0o750)
        return path

    def _open_parents(self, path: Path, owner: Owner) -> None:
        """Let the sandbox's group through the folders of the cache above ``path``."""
        for folder in path.parents:
            if folder.is_relative_to(self._cache) and not _allows(folder, owner, 1):
                _open_to_group(folder, owner, 0o750)
        if closed := [folder for folder in path.parents if not _allows(folder, owner, 1)]:
            raise SandboxUnavailableError(
                f"the sandbox's user {owner.uid} cannot enter {closed[0]}",
                "Choose a cache folder that every user can get to, such as /var/cache/suture.",
            )

    def _stage(self, real: Path, owner: Owner) -> Path:
        """Link or copy ``real`` under a name that changes with its content."""
        self._folder.mkdir(parents=True, exist_ok=True)
        _open_to_group(self._folder, owner, 0o750)  # and closed to everybody else
        self._open_parents(self._folder, owner)
        target = self._folder / _fingerprint(real)
        if not target.exists():
            building = self._folder / f".{target.name}.{os.getpid()}"
            shutil.rmtree(building, ignore_errors=True)
            _mirror(real, building, owner)
            _publish(building, target)
        return target


def _publish(building: Path, target: Path) -> None:
    """Rename ``building`` to ``target``; another process may have been faster with the same content."""
    try:
        building.rename(target)
    except OSError:
        if not target.exists():
            raise
        shutil.rmtree(building, ignore_errors=True)


def _can_read(path: Path, owner: Owner) -> bool:
    """Whether ``owner`` can enter every folder above ``path`` and read what is there."""
    if not all(_allows(folder, owner, 1) for folder in path.parents):
        return False
    return _allows(path, owner, 5 if path.is_dir() else 4)


def _allows(path: Path, owner: Owner, bits: int) -> bool:
    status = path.stat()
    if status.st_uid == owner.uid:
        shift = 6
    elif status.st_gid == owner.gid:
        shift = 3
    else:
        shift = 0
    return (status.st_mode >> shift) & bits == bits


def _fingerprint(real: Path) -> str:
    """Return a name for the tree at ``real`` that changes whenever a file in it does."""
    digest = hashlib.sha256(os.fsencode(real))
    for path in (real, *sorted(real.rglob("*"))) if real.is_dir() else (real,):
        status = path.lstat()
        facts = (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns)
        digest.update(os.fsencode(path) + repr(facts).encode())
    return digest.hexdigest()[:32]


def _mirror(source: Path, target: Path, owner: Owner) -> None:
    mode = source.lstat().st_mode
    if stat.S_ISLNK(mode):
        target.symlink_to(source.readlink())
    elif stat.S_ISDIR(mode):
        target.mkdir()
        for entry in source.iterdir():
            _mirror(entry, target / entry.name, owner)
        _open_to_group(target, owner, mode)
    elif stat.S_ISREG(mode):
        _link_or_copy(source, target, mode, owner)


def _link_or_copy(source: Path, target: Path, mode: int, owner: Owner) -> None:
    """Hard-link a file anybody may read; copy one that is private, or lives on another file system."""
    if mode & 0o004 and not mode & 0o022:
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)
        else:
            return
    else:
        shutil.copy2(source, target)
    _open_to_group(target, owner, mode)


def _open_to_group(path: Path, owner: Owner, mode: int) -> None:
    """Give the sandbox's group what the file's owner may read and run, and others nothing."""
    readable = (mode >> 3) & 0o050
    os.chown(path, -1, owner.gid)
    path.chmod((stat.S_IMODE(mode) & 0o700) | readable)
