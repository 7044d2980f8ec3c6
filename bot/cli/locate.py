"""``suture locate``: rank the files of a repository for a report."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from bot.cli.ranking import chosen_embedder, fail, index_folder, read_query, told
from retrieval.files.explanation import past_of
from retrieval.files.memory_store import load_memory
from retrieval.files.presets import PRESETS
from retrieval.files.ranker import TreeRanker
from retrieval.files.store import IndexStore
from retrieval.files.tuning import tuned

if TYPE_CHECKING:
    from retrieval.domain import RankedFile
    from retrieval.files.explanation import PastFix

VERSION = 1
_MOST = 1_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("locate")(locate)


def locate(
    path: Annotated[Path, typer.Argument(help="A repository (bare or not) or a plain folder.")],
    report: Annotated[
        str,
        typer.Option("--report", help="The report, as for fix; its title counts most; - for standard input."),
    ],
    k: Annotated[int, typer.Option("-k", min=1, max=_MOST, help="How many files.")] = 10,
    *,
    at: Annotated[str | None, typer.Option("--at", help="The commit to search; HEAD if left out.")] = None,
    preset: Annotated[str, typer.Option(help="How to rank: default or paper.")] = "default",
    folder: Annotated[Path | None, typer.Option("--index", help="Where the index lies.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show signals and the past fixes that speak.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Rank the files that a report is most likely about, best first."""
    if preset not in PRESETS:
        fail(f"there is no preset {preset!r}; choose one of {', '.join(PRESETS)}")
    query = read_query(report)
    with told():
        store = IndexStore(index_folder(path, folder))
        memory = load_memory(store, chosen_embedder())
        ranker = TreeRanker(preset=tuned(PRESETS[preset], store), keeper=store, memory=memory)
        ranked = ranker.rank(query, path, k=k, revision=at)
        snapshot = ranker.snapshot(path, revision=at)
        past = past_of(query, snapshot, [one.path for one in ranked]) if explain else {}
        store.close()
    if as_json:
        typer.echo(json.dumps(_as_json(ranked, past, snapshot.notes)))
        return
    _show(ranked, past, snapshot.notes, explain=explain)


def _as_json(
    ranked: tuple[RankedFile, ...], past: dict[str, tuple[PastFix, ...]], notes: tuple[str, ...]
) -> dict[str, object]:
    files = [{**asdict(one), "past": [asdict(fix) for fix in past.get(one.path, ())]} for one in ranked]
    return {"version": VERSION, "files": files, "notes": list(notes)}


def _show(
    ranked: tuple[RankedFile, ...],
    past: dict[str, tuple[PastFix, ...]],
    notes: tuple[str, ...],
    *,
    explain: bool,
) -> None:
    console = Console(highlight=False, markup=False)
    table = Table("", "score", "file", "where", box=None, pad_edge=False)
    for rank, one in enumerate(ranked, start=1):
        where = ", ".join(
            f"{chunk.name or chunk.kind} {chunk.start_line}-{chunk.end_line}" for chunk in one.chunks
        )
        table.add_row(str(rank), f"{one.score:.3f}", one.path, where)
        if explain:
            said = sorted(((value, name) for name, value in one.signals.items() if value > 0), reverse=True)
            table.add_row("", "", "  " + " ".join(f"{name}={value:.2f}" for value, name in said), "")
            for fix in past.get(one.path, ()):
                table.add_row("", "", f"  {fix.kind} {fix.id[:12]} ({fix.score:.2f}) {fix.subject}", "")
    console.print(table)
    for note in notes:
        console.print(f"note: {note}")
