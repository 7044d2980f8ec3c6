"""What ``git log -z --raw`` prints, as values. Pure."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LOG_FORMAT = "%H%x00%P%x00%at%x00%ct%x00%B%x00"
"""Five fields, each ended by NUL, which a message cannot hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file touched by a commit: ``status`` is git's letter, ``old_path`` is set for a rename or a copy."""

    path: str
    status: str
    old_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit with its changed files; times in seconds since 1970."""

    id: str
    parents: tuple[str, ...]
    author_time: int
    commit_time: int
    message: str
    changes: tuple[FileChange, ...] = ()

    @property
    def subject(self) -> str:
        """Return the first line of the message."""
        return self.message.lstrip().partition("\n")[0].strip()


def parse_log(records: Iterable[bytes]) -> Iterator[Commit]:
    """Yield the commits in NUL-cut output of ``git log -z --raw --format=LOG_FORMAT``."""
    stream = iter(records)
    record = next(stream, None)
    while record is not None:
        if not record.strip():
            record = next(stream, None)
            continue
        fields = [record, *(next(stream) for _ in range(4))]
        changes: list[FileChange] = []
        record = next(stream, None)
        while record is not None and (not record.strip() or record.lstrip().startswith(b":")):
            if record.strip():
                changes.append(_change(record.split()[-1].decode(), stream))
            record = next(stream, None)
        yield _commit(fields, tuple(changes))


def _change(status: str, stream: Iterator[bytes]) -> FileChange:
    first = os.fsdecode(next(stream))
    if status[0] in "RC":
        return FileChange(path=os.fsdecode(next(stream)), status=status[0], old_path=first)
    return FileChange(path=first, status=status[0])


def _commit(fields: list[bytes], changes: tuple[FileChange, ...]) -> Commit:
    return Commit(
        id=fields[0].strip().decode(),
        parents=tuple(fields[1].decode().split()),
        author_time=_seconds(fields[2]),
        commit_time=_seconds(fields[3]),
        message=fields[4].decode("utf-8", "replace"),
        changes=changes,
    )


def _seconds(field: bytes) -> int:
    """Return a time; some old histories hold none."""
    return int(field) if field.lstrip(b"-").isdigit() else 0
