"""``suture eval localization``: measure the ranking of files on real issues."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.ranking import fail, told
from evaluation import localization_ranks
from evaluation.errors import EvaluationError
from evaluation.localization import Bench
from evaluation.localization_cases import read_cases, read_past
from evaluation.localization_fit import fit, shipped_weights
from evaluation.localization_report import BEGIN, END, markdown, placed, results
from evaluation.provenance import commit_of_project, today
from evaluation.repair.case_file import read_cases as read_security_cases
from retrieval.files.presets import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.repair.case import Case

Folder = Annotated[
    Path, typer.Option("--repos", help="Git directories: owner/name, owner/name.git, owner+name/repo.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("localization")(localization)


def localization(
    repos: Folder,
    *,
    data: Annotated[
        Path | None, typer.Option("--data", help="Issues with their files, JSON Lines, plain or gzipped.")
    ] = None,
    security: Annotated[
        Path | None,
        typer.Option("--cases", help="Instead: rank the files of security cases, <id>/case.yaml."),
    ] = None,
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
    into: Annotated[
        Path | None, typer.Option(help="Write the tables between the markers of this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure Recall@K of file localization, or the rank in security cases; each is asked at its own commit."""
    aliases = dict(_pair(one) for one in alias or ())
    if security is not None and data is None:
        _ranks(read_cases_or_fail(security), repos, work, aliases, into=into, as_json=as_json)
        return
    if data is None or security is not None:
        fail("give one of --data and --cases")
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
    _told(markdown(found, command=_command(), date=today(), commit=commit_of_project()), into, (BEGIN, END))


def read_cases_or_fail(folder: Path) -> tuple[Case, ...]:
    """Return the security cases below a folder, or end with one line."""
    try:
        return read_security_cases(folder)
    except EvaluationError as error:
        fail(str(error))


def _ranks(
    cases: tuple[Case, ...],
    repos: Path,
    work: Path,
    aliases: Mapping[str, str],
    *,
    into: Path | None,
    as_json: bool,
) -> None:
    with told():
        try:
            ranks = list(localization_ranks.case_ranks(cases, repos, work, aliases))
        except EvaluationError as error:
            fail(str(error))
    if as_json:
        typer.echo(json.dumps({"version": 1, "cases": [one.as_json() for one in ranks]}))
        return
    tables = localization_ranks.ranks_markdown(
        ranks, command=_command(), date=today(), commit=commit_of_project()
    )
    _told(tables, into, (localization_ranks.BEGIN, localization_ranks.END))


def _command() -> str:
    """Return the command as it was typed, without its values: these are places on one machine."""
    return " ".join(("suture eval localization", *(word for word in sys.argv[3:] if word.startswith("--"))))


def _told(tables: str, into: Path | None, markers: tuple[str, str]) -> None:
    """Print the tables, or put them between the markers of a page."""
    if into is None:
        typer.echo(tables)
        return
    first, last = markers
    try:
        page = placed(into.read_text(encoding="utf-8"), tables, first=first, last=last)
        into.write_text(page, encoding="utf-8")
    except (OSError, ValueError) as error:
        fail(f"{into} cannot be written: {error}")


def _pair(text: str) -> tuple[str, str]:
    name, equals, real = text.partition("=")
    if not equals or "/" not in name or "/" not in real:
        fail(f"--alias {text}: write owner/name=owner/name")
    return name, real
