"""``suture eval index``: measure what the index costs and how it grows."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.ranking import fail, told
from evaluation.index_speed import Speed, measure_growth, measure_speed
from evaluation.localization_report import placed
from evaluation.provenance import commit_of_project, today

SIZES = "1000,5000,10000,50000"
HEAD = (
    "| files | cold s | 5 files changed s | load s | warm query ms | peak MB |",
    "| --- | --- | --- | --- | --- | --- |",
)
REAL = ("<!-- speed: written by suture eval index --repo -->", "<!-- end of speed -->")
GROWTH = ("<!-- growth: written by suture eval index -->", "<!-- end of growth -->")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("index")(index)


def index(
    *,
    repo: Annotated[Path | None, typer.Option(help="A repository to index from nothing.")] = None,
    sizes: Annotated[str, typer.Option(help="Files of the synthetic repositories, in rising order.")] = SIZES,
    into: Annotated[
        Path | None, typer.Option(help="Write the table between the markers of this file.")
    ] = None,
) -> None:
    """Measure processor time and memory of a cold index, a small change, loading and a warm query."""
    if not all(size.isdigit() and int(size) > 0 for size in sizes.split(",") if repo is None):
        fail(f"--sizes {sizes}: write whole numbers with commas between")
    with told(), tempfile.TemporaryDirectory() as folder:
        if repo is not None:
            rows = [_row(measure_speed(repo, Path(folder) / "index"))]
        else:
            rows = [_row(measure_growth(int(size), Path(folder))) for size in sizes.split(",")]
    table = "\n".join((*HEAD, *rows))
    if into is None:
        typer.echo(table)
        return
    first, last = GROWTH if repo is None else REAL
    said = f"Measured on {today()} at commit `{commit_of_project()}`.\n\n{table}\n"
    try:
        page = placed(into.read_text(encoding="utf-8"), said, first=first, last=last)
        into.write_text(page, encoding="utf-8")
    except (OSError, ValueError) as error:
        fail(f"{into} cannot be written: {error}")


def _row(speed: Speed) -> str:
    change = f"{speed.change:.2f}" if speed.change else "-"
    shown = (
        f"{speed.cold:.1f}",
        change,
        f"{speed.load:.1f}",
        f"{1000 * speed.query:.0f}",
        f"{speed.megabytes:.0f}",
    )
    return f"| {speed.files:,} | {' | '.join(shown)} |"
