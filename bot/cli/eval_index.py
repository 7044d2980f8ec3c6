"""``suture eval index``: measure what the index costs and how it grows."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.ranking import fail, told
from evaluation.index_speed import Speed, measure_growth, measure_speed

SIZES = "1000,5000,10000,50000"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("index")(index)


def index(
    *,
    repo: Annotated[Path | None, typer.Option(help="A repository to index from nothing.")] = None,
    sizes: Annotated[str, typer.Option(help="Files of the synthetic repositories, in rising order.")] = SIZES,
) -> None:
    """Measure processor time and memory of a cold index, a small change, loading and a warm query."""
    if not all(size.isdigit() and int(size) > 0 for size in sizes.split(",") if repo is None):
        fail(f"--sizes {sizes}: write whole numbers with commas between")
    typer.echo("| files | cold s | 5 files changed s | load s | warm query ms | peak MB |")
    typer.echo("| --- | --- | --- | --- | --- | --- |")
    with told(), tempfile.TemporaryDirectory() as folder:
        if repo is not None:
            typer.echo(_row(measure_speed(repo, Path(folder) / "index")))
            return
        for size in map(int, sizes.split(",")):
            typer.echo(_row(measure_growth(size, Path(folder))))


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
