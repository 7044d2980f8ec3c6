"""What the ranking commands share: where an index lies, how a failure is told, how a report is read."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from retrieval.domain import FileQuery
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_REPORT = 8 << 20
USAGE = 2


@contextmanager
def told() -> Iterator[None]:
    """Turn an expected failure into one line and exit code 2."""
    try:
        yield
    except RetrievalError as error:
        fail(str(error))


def fail(reason: str) -> None:
    """Say why in one line and end with code 2."""
    typer.echo(f"suture: {' '.join(reason.split())}", err=True)
    raise typer.Exit(USAGE)


def index_folder(path: Path, chosen: Path | None) -> Path:
    """Return where the index of a repository lies: as chosen, or below the user's cache folder."""
    if chosen is not None:
        return chosen
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache / "suture" / "index" / f"{path.resolve().name}-{name}"


def read_query(report: Path) -> FileQuery:
    """Return a report as the ranking sees it: the first line that says something, and the rest."""
    try:
        if report.stat().st_size > LONGEST_REPORT:
            fail(f"{report} is larger than 8 MiB; give the report without its attachments")
        text = report.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        fail(f"{report} cannot be read: {error.strerror}")
    title, _, body = text.strip().partition("\n")
    if not title:
        fail(f"{report} is empty; give a report with at least one line")
    return FileQuery(title=title.lstrip("#").strip(), body=body)
