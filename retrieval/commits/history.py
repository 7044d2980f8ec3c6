"""Streams commits with their patches out of a repository; one git process a history, bounded memory."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING

from retrieval.commits import patches
from retrieval.errors import GitError, GitTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retrieval.commits.domain import CommitPatch
    from retrieval.git import GitRepository

RECORD_BYTES = 4 << 20
"""Bytes kept of one commit's raw record; what a larger one says beyond that is not read."""

_BLOCK = 1 << 20
_MARK = b"\n" + patches.RECORD_START
DIFF = ("--diff-merges=first-parent", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv")
_PATCH = ("--numstat", "-p", "-U0", "--src-prefix=a/", "--dst-prefix=b/")
_LEVELS = (_PATCH, ("--raw", "--no-abbrev"), ("--no-patch",))
_FAILURES_IN_A_ROW = 20


def commit_ids(repository: GitRepository) -> tuple[str, ...]:
    """Return every commit reachable from branches (also remote ones), tags and HEAD, newest first."""
    head = ("HEAD",) if repository.has_commits() else ()
    return tuple(repository.text("rev-list", "--branches", "--remotes", "--tags", *head).split())


def read_commits(repository: GitRepository, ids: Sequence[str]) -> Iterator[CommitPatch]:
    """Yield the commits named ``ids`` in that order, each with its first-parent difference.

    Objects may be missing (partial clones, damaged copies): what can be read of such a commit is kept, down to
    its message, and it is marked incomplete. A commit that cannot be read at all is left out.
    """
    position = failures = level = 0
    while position < len(ids):
        before = position
        for record in _stream(repository, ids[position:], _LEVELS[level]):
            yield patches.commit_of(record, complete=level == 0)
            position += 1
        failures = failures + 1 if position == before else 0
        if position < len(ids):
            yield from _salvaged(repository, ids[position])
            position += 1
        if failures > _FAILURES_IN_A_ROW and level + 1 < len(_LEVELS):
            level, failures = level + 1, 0


def records(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield each record of ``git log``, cut at ``RECORD_BYTES``; never holds more than that and a block."""
    kept, pending = b"", b"\n"
    while block := stream.read(_BLOCK):
        pieces = (pending + block).split(_MARK)
        for number, piece in enumerate(pieces):
            if number:
                if kept:
                    yield kept
                kept = patches.RECORD_START
            last = number == len(pieces) - 1
            body, pending = (piece[:-2], piece[-2:]) if last else (piece, pending)
            kept = (kept + body)[:RECORD_BYTES] if kept else kept
    if kept:
        yield (kept + pending)[:RECORD_BYTES]


def _stream(repository: GitRepository, ids: Sequence[str], shape: Sequence[str]) -> Iterator[bytes]:
    """Yield records until git ends; the last is held back when git failed, as it may be cut short."""
    arguments = ("log", "--stdin", "--no-walk=unsorted", f"--format={patches.FORMAT}", *DIFF, *shape)
    last = b""
    try:
        with repository.stream(*arguments, feed="".join(f"{name}\n" for name in ids).encode()) as output:
            for record in records(output):
                if last:
                    yield last
                last = record
    except GitTimeoutError:
        raise
    except GitError:
        return
    if last:
        yield last


def _salvaged(repository: GitRepository, name: str) -> Iterator[CommitPatch]:
    """Yield what remains of a commit some objects of which are missing."""
    header = next(iter(_stream(repository, (name,), _LEVELS[-1])), b"")
    if header:
        yield patches.commit_of(header + b"\n" + _readable_patch(repository, name), complete=False)


def _readable_patch(repository: GitRepository, name: str) -> bytes:
    """Return the patch of the files both sides of which are at hand, and of the others the names."""
    try:
        fields = _difference(repository, name, "--raw", "--no-abbrev", "-z").split(b"\0")
        sides = {
            path: entry.decode().split()[2:4] for entry, path in zip(fields[0::2], fields[1::2], strict=False)
        }
        asked = (side for pair in sides.values() for side in pair)
        present = {blob.id for blob in repository.blobs(asked, limit=0)}
        lost = [
            path
            for path, pair in sides.items()
            if any(side.strip("0") and side not in present for side in pair)
        ]
        names = b"".join(b":\t" + path + b"\n" for path in lost)
        pathspecs = [f":(top,literal){os.fsdecode(path)}" for path in sides.keys() - set(lost)]
        return names + (_difference(repository, name, *_PATCH, pathspecs=pathspecs) if pathspecs else b"")
    except GitTimeoutError:
        raise
    except GitError:
        return b""


def _difference(repository: GitRepository, name: str, *shape: str, pathspecs: Sequence[str] = ()) -> bytes:
    arguments = ("diff-tree", "--root", "-r", "--no-commit-id", *DIFF, *shape, name, "--", *pathspecs)
    with repository.stream(*arguments) as output:
        return output.read()
