"""Commits as past changes: read once, kept as bytes, placed under today's names. Pure."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

import numpy as np

from retrieval.files.bags import Bags
from retrieval.files.document import bag_of
from retrieval.files.history import MOST_FILES, Log, PastChange

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retrieval.gitlog import Commit

LONGEST_MESSAGE = 20_000
_SUBJECT = 120
_HEAD = struct.Struct("<qBI")
_FIX = re.compile(r"\bfix|\bbug|\bclose[sd]? #|\bresolve", re.IGNORECASE)
_TRAILERS = (
    "signed-off-by:",
    "co-authored-by:",
    "reviewed-by:",
    "acked-by:",
    "change-id:",
    "merge pull request",
)
_RENAMED = "R"


def words_of(message: str) -> dict[int, int]:
    """Return the counted words of a message without the lines that name people."""
    kept = [line for line in message[:LONGEST_MESSAGE].splitlines() if not line.lower().startswith(_TRAILERS)]
    return bag_of("\n".join(kept))


def encode_commit(commit: Commit) -> bytes:
    """Return what is kept of a commit: time, words, and its files unless they are too many to mean anything.

    Renames are always kept: older commits are placed by them.
    """
    few = len(commit.changes) <= MOST_FILES
    fields = [commit.subject[:_SUBJECT].replace("\0", " ")]
    for change in commit.changes:
        if change.status == _RENAMED and change.old_path is not None:
            fields += [f"{_RENAMED}{change.path}", change.old_path]
        elif few:
            fields.append(f"M{change.path}")
    words = words_of(commit.message)
    terms = np.fromiter(words.keys(), dtype=np.uint32, count=len(words))
    counts = np.minimum(np.fromiter(words.values(), dtype=np.int64, count=len(words)), 65_535).astype(
        np.uint16
    )
    head = _HEAD.pack(
        commit.commit_time, bool(_FIX.search(commit.message[:200])) | (not few) << 1, len(words)
    )
    return b"".join(
        (head, terms.tobytes(), counts.tobytes(), "\0".join(fields).encode("utf-8", "surrogateescape"))
    )


def past_log(commits: Iterable[tuple[str, bytes]]) -> Log:
    """Return past changes from kept commits, given newest first, with their files under today's names."""
    today: dict[str, str] = {}
    changes: list[PastChange] = []
    terms: list[bytes] = []
    counts: list[bytes] = []
    for identity, content in commits:
        time, flags, width = _HEAD.unpack_from(content)
        middle, end = _HEAD.size + 4 * width, _HEAD.size + 6 * width
        subject, *fields = content[end:].decode("utf-8", "surrogateescape").split("\0")
        paths = _placed(fields, today)
        if paths and not flags & 2:
            changes.append(
                PastChange(id=identity, time=time, subject=subject, paths=paths, fixes=bool(flags & 1))
            )
            terms.append(content[_HEAD.size : middle])
            counts.append(content[middle:end])
    words = Bags(
        terms=np.frombuffer(b"".join(terms), dtype=np.uint32),
        counts=np.frombuffer(b"".join(counts), dtype=np.uint16),
        ends=np.cumsum([len(one) // 4 for one in terms], dtype=np.int64),
    )
    return Log(changes, words)


def _placed(fields: list[str], today: dict[str, str]) -> tuple[str, ...]:
    """Return the paths of a commit as they are called today, and note what it renamed."""
    paths: list[str] = []
    renamed: dict[str, str] = {}
    rest = iter(fields)
    for field in rest:
        path = today.get(field[1:], field[1:])
        if field[0] == _RENAMED:
            renamed[next(rest)] = path
        paths.append(path)
    if renamed:
        today.update(renamed)
    return tuple(paths)
