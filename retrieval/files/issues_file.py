"""Past issues from a JSON Lines file: ``id``, ``title``, ``body``, ``files`` and ``closed_at`` (ISO 8601) a line."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any

from retrieval.domain import PastIssue
from retrieval.errors import PastIssuesError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class IssuesFile:
    """A file of closed issues, plain or gzipped."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def closed(self) -> Iterator[PastIssue]:
        """Yield the issues; raise ``PastIssuesError`` with the line that cannot be read."""
        try:
            with self._opened() as lines:
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        yield self._issue(line, number)
        except (OSError, UnicodeDecodeError, EOFError) as error:
            raise PastIssuesError(f"{self._path} cannot be read: {error}") from error

    def _opened(self) -> IO[str]:
        if self._path.suffix == ".gz":
            return gzip.open(self._path, "rt", encoding="utf-8")
        return self._path.open(encoding="utf-8")

    def _issue(self, line: str, number: int) -> PastIssue:
        try:
            row: dict[str, Any] = json.loads(line)
            return PastIssue(
                id=str(row["id"]),
                title=str(row["title"]),
                body=str(row.get("body") or ""),
                files=tuple(str(path) for path in row["files"]),
                time=seconds(str(row["closed_at"])),
            )
        except (ValueError, KeyError, TypeError) as error:
            wanted = "each line needs id, title, files and closed_at (such as 2024-05-01T12:00:00Z)"
            raise PastIssuesError(f"{self._path}, line {number}: {wanted}") from error


def seconds(moment: str) -> int:
    """Return an ISO 8601 moment in seconds since 1970; without a zone it is UTC."""
    parsed = datetime.fromisoformat(moment)
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())
