"""``suture backport``: bring a fix to the release branches that lack it."""

from __future__ import annotations

import json
import re
from enum import IntEnum
from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import Annotated

import typer

from agent.patches.backport import Backport, BackportError, Picked, backport

SCHEMA = 1


class Exit(IntEnum):
    """What the exit code says."""

    DONE = 0
    USAGE = 2
    CONFLICT = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("backport")(backport_command)


def backport_command(
    path: Annotated[Path, typer.Argument(help="A git repository; it is only read.")],
    commit: Annotated[str, typer.Option(help="The commit that holds the fix.")],
    onto: Annotated[list[str], typer.Option(help="A branch to bring it to; may be given several times.")],
    *,
    out: Annotated[Path | None, typer.Option(help="Write one patch a branch into this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")] = False,
) -> None:
    """Pick a commit onto each branch in a private copy and give out one patch a branch.

    Nothing is tested here: a patch that applies is not yet a patch that works.
    """
    try:
        results = [backport(path, commit, branch) for branch in onto]
        if out is not None:
            for number, result in enumerate(results, start=1):
                _write(out, number, result)
    except (BackportError, OSError) as error:
        typer.echo(f"suture: {error}", err=True)
        raise typer.Exit(Exit.USAGE) from None
    if as_json:
        typer.echo(
            json.dumps({"schema": SCHEMA, "branches": [_values(result) for result in results]}, indent=2)
        )
    else:
        for result in results:
            _show(result)
    conflict = any(result.outcome is Picked.CONFLICT for result in results)
    raise typer.Exit(Exit.CONFLICT if conflict else Exit.DONE)


def _write(folder: Path, number: int, result: Backport) -> None:
    if result.outcome is Picked.APPLIED:
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^A-Za-z0-9.]+", "-", result.branch).strip("-.")
        (folder / f"{number:02}-{name}.patch").write_bytes(result.patch)


def _show(result: Backport) -> None:
    typer.echo(f"{result.branch}: {result.outcome} - {result.reason}")
    for path in result.conflicts:
        typer.echo(f"  conflict in {path}")
    for command in result.commands:
        typer.echo(f"    {command}")


def _values(result: Backport) -> dict[str, object]:
    return {
        "branch": result.branch,
        "commit": result.commit,
        "outcome": result.outcome.value,
        "reason": result.reason,
        "files": list(result.files),
        "conflicts": list(result.conflicts),
        "commands": list(result.commands),
        "patch": result.patch.decode("utf-8", "replace"),
    }
