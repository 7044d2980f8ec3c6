"""``suture index``: build, refresh, tune or delete the index of a repository."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer

from bot.cli.ranking import chosen_embedder, index_folder, told
from retrieval.files.index import update
from retrieval.files.issues_file import IssuesFile
from retrieval.files.memory_store import remember
from retrieval.files.store import IndexStore, delete_index
from retrieval.files.trees import open_tree
from retrieval.files.tuning import fit_alpha


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("index")(index)


def index(
    path: Annotated[Path, typer.Argument(help="A repository (bare or not) or a plain folder.")],
    at: Annotated[str | None, typer.Option("--at", help="The commit to index; HEAD if left out.")] = None,
    *,
    folder: Annotated[Path | None, typer.Option("--index", help="Where the index lies.")] = None,
    issues: Annotated[Path | None, typer.Option(help="Closed issues with their files, JSON Lines.")] = None,
    fit: Annotated[
        bool, typer.Option("--fit", help="Fit the weight of the past on this repository.")
    ] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the index.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Bring the index of a repository up to date; only what is new is read."""
    with told():
        where = index_folder(path, folder)
        if delete:
            typer.echo(f"deleted {where}" if delete_index(where) else f"there is no index in {where}")
            return
        tree = open_tree(path, revision=at)
        store = IndexStore(where)
        done = update(tree, store)
        facts: dict[str, object] = {
            "index": str(where),
            "files": done.files,
            "contents": done.contents,
            "commits": done.commits,
            "notes": list(done.notes),
        }
        if issues is not None:
            memory = remember(store, chosen_embedder(), IssuesFile(issues).closed())
            facts["issues"] = len(memory.issues)
        if fit:
            tuned = fit_alpha(tree, store)
            facts["fit"] = tuned.as_facts()
        store.close()
    typer.echo(json.dumps(facts) if as_json else _lines(facts))


def _lines(facts: dict[str, object]) -> str:
    notes = facts.pop("notes")
    shown = [f"{name}: {value}" for name, value in facts.items()]
    return "\n".join((*shown, *(f"note: {note}" for note in (notes if isinstance(notes, list) else ()))))
