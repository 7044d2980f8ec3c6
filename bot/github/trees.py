"""Which entries of a git tree a patch becomes: modes kept, nothing dangerous written. Pure.

A change is the new bytes of a path (None: deleted), exactly as they are to stand in the blob: line endings
and final newlines are nobody's business here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.github.errors import PublicationRefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

REGULAR, EXECUTABLE, SYMLINK = "100644", "100755", "120000"
PROTECTED = ".github/workflows"
PLAIN = frozenset("\t\n\r\f")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file as it stands in a tree."""

    mode: str
    sha: str


@dataclass(frozen=True, slots=True)
class Change:
    """One entry to write: ``content`` None deletes it."""

    path: str
    mode: str
    content: bytes | None

    @property
    def text(self) -> str | None:
        """Return the content if it may travel as JSON text, None if it must travel as base64."""
        if self.content is None:
            return None
        try:
            text = self.content.decode()
        except UnicodeDecodeError:
            return None
        plain = all(character.isprintable() or character in PLAIN for character in text)
        return text if plain else None


def blob_sha(content: bytes) -> str:
    """Return the id git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def tree_changes(
    changes: Mapping[str, bytes | None], entries: Mapping[str, Entry | None]
) -> tuple[Change, ...]:
    """Return what must be written, by path; raise ``PublicationRefusedError`` for what never is.

    ``entries`` holds every changed path as it stands now, None when there is no such file.
    """
    written = [
        change
        for path in sorted(changes)
        if (change := _change(checked_path(path), changes[path], entries[path])) is not None
    ]
    if not written:
        raise PublicationRefusedError("the patch changes nothing")
    return tuple(written)


def checked_path(path: str) -> str:
    """Return the path if it lies inside the repository and outside the workflows."""
    parts = path.split("/")
    if any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts) or "\0" in path:
        raise PublicationRefusedError(f"{path!r} is no path inside the repository")
    if path.lower() == PROTECTED or path.lower().startswith(PROTECTED + "/"):
        raise PublicationRefusedError(f"{path} is a workflow; Suture never changes those")
    return path


def _change(path: str, content: bytes | None, entry: Entry | None) -> Change | None:
    if entry is None:
        return None if content is None else Change(path, REGULAR, content)
    if entry.mode not in {REGULAR, EXECUTABLE} and (content is not None or entry.mode != SYMLINK):
        raise PublicationRefusedError(f"{path} is no regular file (mode {entry.mode})")
    if content is not None and blob_sha(content) == entry.sha:
        return None
    return Change(path, entry.mode, content)
