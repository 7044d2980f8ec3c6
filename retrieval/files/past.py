"""Commits as past changes: read once, kept as bytes, placed under today's names. Pure."""

from __future__ import annotations

import json
import re
import struct
from typing import TYPE_CHECKING

import numpy as np

from retrieval.files.bags import Bags, pack
from retrieval.files.document import bag_of
from retrieval.files.history import MOST_FILES, PastChange
from retrieval.gitlog import Commit, FileChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEAD = struct.Struct("<qBII")
_FIX = re.compile(r"\bfix|\bbug|\bclose[sd]? #|\bresolve", re.IGNORECASE)
_TRAILERS = (
    "signed-off-by:",
    "co-authored-by:",
    "reviewed-by:",
    "acked-by:",
    "change-id:",
    "merge pull request",
)
LONGEST_MESSAGE = 20_000
_SUBJECT = 120


def words_of(message: str) -> Bags:
    """Return the words of a message without the lines that name people."""
    kept = [line for line in message[:LONGEST_MESSAGE].splitlines() if not line.lower().startswith(_TRAILERS)]
    return pack([bag_of("\n".join(kept))])


def encode_commit(commit: Commit) -> bytes:
    """Return what is kept of a commit: time, words, and its files unless they are too many to mean anything.

    Renames are always kept: older commits are placed by them.
    """
    few = len(commit.changes) <= MOST_FILES
    changes = [
        [change.path, change.status, change.old_path] if change.old_path else [change.path, change.status]
        for change in commit.changes
        if few or change.status == "R"
    ]
    words = words_of(commit.message)
    paths = json.dumps([commit.subject[:_SUBJECT], changes], separators=(",", ":")).encode(
        "utf-8", "surrogateescape"
    )
    fixes = bool(_FIX.search(commit.message[:200]))
    head = _HEAD.pack(commit.commit_time, fixes | (not few) << 1, len(words.terms), len(paths))
    return b"".join((head, words.terms.tobytes(), words.counts.tobytes(), paths))


def past_changes(commits: Iterable[tuple[str, bytes]]) -> Iterator[PastChange]:
    """Yield past changes from kept commits, given newest first, with their files under today's names."""
    today: dict[str, str] = {}
    for identity, content in commits:
        time, flags, terms, size = _HEAD.unpack_from(content)
        at = _HEAD.size
        words = Bags(
            terms=np.frombuffer(content, np.uint32, terms, at),
            counts=np.frombuffer(content, np.uint16, terms, at + 4 * terms),
            ends=np.array([terms], dtype=np.int64),
        )
        subject, rows = json.loads(content[at + 6 * terms :][:size])
        changes = [_change(row) for row in rows]
        paths = tuple(today.get(change.path, change.path) for change in changes)
        for change, path in zip(changes, paths, strict=True):
            if change.status == "R" and change.old_path is not None:
                today[change.old_path] = path
        if paths and not flags & 2:
            fixes = bool(flags & 1)
            yield PastChange(id=identity, time=time, subject=subject, words=words, paths=paths, fixes=fixes)


def _change(row: list[str]) -> FileChange:
    return FileChange(path=row[0], status=row[1], old_path=row[2] if len(row) > 2 else None)  # noqa: PLR2004
