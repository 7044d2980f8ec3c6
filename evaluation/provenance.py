"""When and from which commit a figure was measured."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from retrieval.errors import RetrievalError
from retrieval.git import GitRepository


def today() -> str:
    """Return the date in UTC."""
    return datetime.now(tz=UTC).date().isoformat()


def commit_of_project(folder: Path = Path(__file__).parent) -> str:
    """Return the short id of the commit that this code stands at, or ``unknown`` outside of a checkout."""
    try:
        return GitRepository(folder).resolve("HEAD")[:12]
    except RetrievalError:
        return "unknown"
