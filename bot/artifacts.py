"""Files addressed by the hash of their content: written once, never changed, safe to find again."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import ArtifactError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

DIGEST_LENGTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A stored file: hex SHA-256 and size in bytes."""

    digest: str
    size: int


class ArtifactStore:
    """Keeps bytes below ``root/sha256/ab/…``; a file is complete once it has its name."""

    def __init__(self, root: Path) -> None:
        self._root = root / "sha256"

    def put(self, content: bytes) -> Artifact:
        """Store bytes durably; the same bytes are stored once."""
        digest = hashlib.sha256(content).hexdigest()
        path = self._path(digest)
        if not path.exists():
            self._write(path, content)
        return Artifact(digest=digest, size=len(content))

    def get(self, digest: str) -> bytes:
        """Return the bytes; ``ArtifactError`` when they are missing or no longer match their name."""
        try:
            content = self._path(digest).read_bytes()
        except OSError:
            raise ArtifactError(f"artifact {digest[:12]} is missing") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise ArtifactError(f"artifact {digest[:12]} is damaged")
        return content

    def digests(self) -> Iterator[str]:
        """Yield what is stored."""
        yield from (path.name for path in self._root.glob("??/*") if len(path.name) == DIGEST_LENGTH)

    def keep_only(self, digests: Collection[str], *, older_than: float) -> int:
        """Delete files that nobody names and that are older than an epoch time; return how many."""
        removed = 0
        for digest in list(self.digests()):
            path = self._path(digest)
            if digest not in digests and path.stat().st_mtime < older_than:
                path.unlink(missing_ok=True)
                removed += 1
        return removed

    def _path(self, digest: str) -> Path:
        if len(digest) != DIGEST_LENGTH or not set(digest) <= set("0123456789abcdef"):
            raise ArtifactError("not an artifact digest")
        return self._root / digest[:2] / digest

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        """Write beside, flush to disk, then rename: a crash leaves no half file under the name."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
