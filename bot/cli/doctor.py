"""``suture doctor``: see whether this machine is ready."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
from typing import Annotated

import typer
from rich.console import Console

from bot.doctor import Finding, Status, examine
from bot.errors import SettingsError
from bot.settings import load_settings

_MARKS = {
    Status.OK: "[green]ok[/]      ",
    Status.WARNING: "[yellow]warning[/] ",
    Status.FAILED: "[red]failed[/]  ",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False
) -> None:
    """Check git, sandbox, toolchains, model, database and GitHub; say what to do about each."""
    try:
        findings = asyncio.run(examine(load_settings()))
    except SettingsError as error:
        sys.stderr.write(f"suture: {error}\n")
        raise typer.Exit(2) from None
    if as_json:
        sys.stdout.write(json.dumps([dataclasses.asdict(item) for item in findings], indent=2) + "\n")
    else:
        show(findings, Console())
    raise typer.Exit(any(item.status is Status.FAILED for item in findings))


def show(findings: list[Finding], console: Console) -> None:
    """Print one line a finding, with what to do below it."""
    for item in findings:
        console.print(f"{_MARKS[item.status]}", end="")
        console.print(f"{item.check}: {item.seen}", markup=False, highlight=False, soft_wrap=True)
        if item.advice:
            console.print(f"        → {item.advice}", markup=False, highlight=False, soft_wrap=True)
