"""What the ranking commands share: where an index lies, how a failure is told, how a report is read."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from agent.errors import ReportError
from bot.cli.report_file import read_report_file
from bot.compose import embedder_config
from bot.errors import SettingsError
from bot.settings import load_settings
from retrieval.domain import FileQuery
from retrieval.embedders import build_embedder
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.ports import Embedder

USAGE = 2


@contextmanager
def told() -> Iterator[None]:
    """Turn an expected failure into one line and exit code 2."""
    try:
        yield
    except RetrievalError as error:
        fail(str(error))


def fail(reason: str) -> NoReturn:
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


def chosen_embedder() -> Embedder:
    """Return the embedder of past issues that the operator's settings name; raise ``RetrievalError``."""
    try:
        settings = load_settings()
    except SettingsError as error:
        fail(str(error))
    return build_embedder(embedder_config(settings))


def read_query(report: str) -> FileQuery:
    """Return a report, in any of the forms a report has, as the ranking sees it."""
    try:
        read = read_report_file(report)
    except ReportError as error:
        fail(str(error))
    return FileQuery(title=read.title, body=read.body)
