"""``suture eval localization``: measure the ranking of files on real issues."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.ranking import fail, told
from evaluation.errors import EvaluationError
from evaluation.localization import Bench
from evaluation.localization_cases import read_cases, read_past
from evaluation.localization_fit import fit, shipped_weights
from evaluation.localization_report import markdown, results
from evaluation.provenance import commit_of_project, today
from retrieval.files.presets import DEFAULT

Folder = Annotated[
    Path, typer.Option("--repos", help="Git directories: owner/name, owner/name.git, owner+name/repo.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("localization")(localization)


def localization(
    data: Annotated[Path, typer.Option("--data", help="Cases, JSON Lines, plain or gzipped.")],
    repos: Folder,
    *,
    work: Annotated[Path, typer.Option("--work", help="Where the indexes are kept between runs.")],
    history: Annotated[Path | None, typer.Option("--history", help="Past issues with their files.")] = None,
    alias: Annotated[list[str] | None, typer.Option(help="A=B: use repository B for cases of A.")] = None,
    only: Annotated[str, typer.Option(help="Only cases of this repository.")] = "",
    engines: Annotated[
        bool, typer.Option("--engines", help="rank-bm25, bm25s and ours side by side.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--all-files", help="Also with every text file as a candidate.")
    ] = False,
    refit: Annotated[
        bool, typer.Option("--fit", help="Fit the weights to these cases and show them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure Recall@K of file localization; each case is asked at its own commit."""
    aliases = dict(_pair(one) for one in alias or ())
    with told():
        try:
            cases = [case for case in read_cases(data) if only in {"", case.repository}]
            past = read_past(history) if history else {}
            bench = Bench(
                repositories=repos, indexes=work, aliases=aliases, past=past, engines=engines, whole=whole
            )
            if not cases:
                fail(f"there is no case of {only!r} in {data}" if only else f"there is no case in {data}")
            asked = list(bench.ask(cases, lambda line: typer.echo(line, err=True)))
        except EvaluationError as error:
            fail(str(error))
    measured = [one.case for one in asked]
    weights = fit(measured) if refit else shipped_weights(measured[0].names, DEFAULT)
    found = results(asked, weights)
    if as_json:
        typer.echo(json.dumps(found.as_json()))
        return
    command = " ".join(
        ("suture eval localization", *(word for word in sys.argv[3:] if word.startswith("--")))
    )
    typer.echo(markdown(found, command=command, date=today(), commit=commit_of_project()))


def _pair(text: str) -> tuple[str, str]:
    name, equals, real = text.partition("=")
    if not equals or "/" not in name or "/" not in real:
        fail(f"--alias {text}: write owner/name=owner/name")
    return name, real
