"""``suture eval backports``: our backports against those that projects shipped."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import Annotated

import typer

from evaluation.backports import Verdict, recorded, replayed
from evaluation.errors import EvaluationError
from retrieval.errors import RetrievalError
from retrieval.git import GitRepository


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("backports")(backports)


def backports(
    repository: Annotated[
        list[Path], typer.Argument(help="Repositories whose recorded picks are done again.")
    ],
    *,
    limit: Annotated[int, typer.Option(min=1, help="At most this many a repository, newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")] = False,
) -> None:
    """Do recorded cherry-picks again and say how often the result is the one that was shipped."""
    try:
        found = [
            one
            for source in map(GitRepository, repository)
            for one in replayed(source, recorded(source, limit))
        ]
    except (EvaluationError, RetrievalError) as error:
        typer.echo(f"suture: {error}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        typer.echo(json.dumps({"schema": 1, "backports": [asdict(one) for one in found]}, indent=2))
        return
    counts = Counter(one.verdict for one in found)
    for verdict in Verdict:
        typer.echo(f"{counts[verdict]:>4}  {verdict}")
