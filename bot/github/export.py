"""From a commit of a bare mirror to a plain folder: the very bytes of the blobs, no history, nothing dangerous.

``git archive`` writes, Python unpacks. The mirror's own attributes (which win over the repository's) switch
off every conversion, so that a file's bytes here are the bytes that publishing compares and writes back.
"""

from __future__ import annotations

import math
import os
import shutil
import tarfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from bot.errors import GitHubError

if TYPE_CHECKING:
    from pathlib import Path

ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding -export-ignore -export-subst\n"
READ = 2**20
_LATEST = 2.0**32


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLimits:
    """Bounds of one exported tree."""

    files: int = 300_000
    total_bytes: int = 4 * 2**30
    file_bytes: int = 512 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """What was written, and what was left out: links that lead outside, names no tree may hold."""

    files: int
    total_bytes: int
    left_out: tuple[str, ...]


def unpack(stream: IO[bytes], into: Path, limits: TreeLimits) -> Unpacked:
    """Write a tar stream of ``git archive`` into a new folder; raise ``GitHubError`` beyond the limits."""
    try:
        into.mkdir(parents=True)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            return _Unpacking(into, limits).all(archive)
    except (tarfile.TarError, OSError) as error:
        raise GitHubError(
            f"the tree cannot be written ({type(error).__name__})", status=None, retryable=False
        ) from error


class _Unpacking:
    def __init__(self, into: Path, limits: TreeLimits) -> None:
        self._into = into
        self._limits = limits
        self._files = 0
        self._bytes = 0
        self._links: list[tuple[Path, str]] = []
        self._left_out: list[str] = []

    def all(self, archive: tarfile.TarFile) -> Unpacked:
        for member in archive:
            if _is_safe(member.name):
                self._one(archive, member)
            else:
                self._left_out.append(member.name)
        self._link()
        return Unpacked(files=self._files, total_bytes=self._bytes, left_out=tuple(self._left_out))

    def _one(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        path = self._into / member.name
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
            return
        self._count(member.size)
        path.parent.mkdir(parents=True, exist_ok=True)
        if member.issym():
            self._links.append((path, member.linkname))
        elif (content := archive.extractfile(member)) is not None:
            _write(path, content, executable=bool(member.mode & 0o100))
            # How old a tree is decides which releases of its dependencies it is installed with.
            os.utime(path, (_time_of(member), _time_of(member)))

    def _count(self, size: int) -> None:
        self._files, self._bytes = self._files + 1, self._bytes + size
        limits = self._limits
        if self._files > limits.files or self._bytes > limits.total_bytes or size > limits.file_bytes:
            raise GitHubError(
                f"the tree is larger than {limits.files} files, {limits.total_bytes} bytes in all or"
                f" {limits.file_bytes} bytes a file",
                status=None,
                retryable=False,
            )

    def _link(self) -> None:
        """Make the links last, so that nothing is written through one; those that lead outside go again."""
        root = os.path.realpath(self._into)
        for path, target in self._links:
            path.symlink_to(target)
        # Where a link leads is asked of the system: names alone lie when links lead through links.
        outside = [
            path for path, _ in self._links if os.path.commonpath([root, os.path.realpath(path)]) != root
        ]
        for path in outside:
            path.unlink()
            self._left_out.append(path.relative_to(self._into).as_posix())


def _time_of(member: tarfile.TarInfo) -> float:
    """Return when a member was changed, in seconds since 1970; an archive may claim any number, or none."""
    return min(max(member.mtime, 0.0), _LATEST) if math.isfinite(member.mtime) else 0.0


def _is_safe(name: str) -> bool:
    """Whether a name lies below the tree and is none of git's own, which later tools would obey."""
    parts = name.rstrip("/").split("/")
    return not any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts)


def _write(path: Path, content: IO[bytes], *, executable: bool) -> None:
    with path.open("xb") as file:
        shutil.copyfileobj(content, file, READ)
    path.chmod(0o755 if executable else 0o644)
