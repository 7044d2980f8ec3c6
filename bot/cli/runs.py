"""``suture runs``: what Suture did and does, for the operator; private results too."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from bot.artifacts import ArtifactStore
from bot.errors import ArtifactError, BotError
from bot.faults import NoFaults
from bot.jobs.controlling import approve_run
from bot.jobs.durable import DurableJobs
from bot.settings import load_settings
from bot.store.runs import RunState
from bot.store.store import open_store
from bot.telemetry import Metrics

if TYPE_CHECKING:
    from bot.settings import Settings
    from bot.store.runs import Run
    from bot.store.store import Store

USAGE, NOT_FOUND = 2, 1
RESULT, PATCH = "result.json", "patch.diff"


def register(app: typer.Typer) -> None:
    """Add the command with its sub-commands."""
    runs = typer.Typer(help="List and show runs, private ones too.", invoke_without_command=True)
    runs.callback()(listing)
    runs.command("show")(show)
    runs.command("approve")(approve)
    app.add_typer(runs, name="runs")


def listing(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 30,
) -> None:
    """List the newest runs."""
    if context.invoked_subcommand is not None:
        return
    _, store = _open()
    table = Table("run", "repository", "report", "state", "outcome", "pull request", "asked", box=None)
    for run in store.runs.latest(limit):
        table.add_row(*_cells(run, store))
    Console().print(table)
    store.close()


def show(
    run_id: Annotated[str, typer.Argument(help="The run's id, or how it begins.")],
    *,
    patch: Annotated[bool, typer.Option("--patch", help="Print only the patch.")] = False,
    result: Annotated[bool, typer.Option("--json", help="Print only the result as JSON.")] = False,
) -> None:
    """Show one run: what was asked, what happened when, what it left."""
    settings, store = _open()
    run = _find(store, run_id)
    kept = store.runs.artifacts(run.id)
    if patch or result:
        _print_file(settings, kept, PATCH if patch else RESULT)
    else:
        _print_run(store, run, kept)
    store.close()


def approve(run_id: Annotated[str, typer.Argument(help="The run's id, or how it begins.")]) -> None:
    """Publish a result that waits, as the operator: the pull request of a private report is public."""
    settings, store = _open()
    run = _find(store, run_id)
    jobs = DurableJobs(settings.sqlalchemy_url, faults=NoFaults(), metrics=Metrics())
    jobs.prepare()
    approved = approve_run(store, jobs, run.id, "operator")
    jobs.close()
    store.close()
    if not approved:
        _fail(f"run {run.id[:8]} does not wait for approval; it is {run.state.value}", NOT_FOUND)
    sys.stdout.write(f"run {run.id[:8]} is being published\n")


def _open() -> tuple[Settings, Store]:
    try:
        settings = load_settings()
        return settings, open_store(settings.sqlalchemy_url)
    except BotError as error:
        _fail(str(error), USAGE)


def _find(store: Store, run_id: str) -> Run:
    found = store.runs.find(run_id)
    if len(found) != 1:
        words = "no run begins with" if not found else "several runs begin with"
        _fail(f"{words} {run_id}", NOT_FOUND)
    return found[0]


def _cells(run: Run, store: Store) -> tuple[str, ...]:
    repository = store.repositories.get(run.repository_id)
    report = f"{run.subject_key} (private)" if run.private else run.subject_key
    asked = time.strftime("%Y-%m-%d %H:%M", time.gmtime(run.created_at))
    name = repository.full_name if repository else str(run.repository_id)
    return (run.id[:8], name, report, run.state.value, run.outcome, run.pull_url, asked)


def _print_run(store: Store, run: Run, kept: dict[str, str]) -> None:
    console = Console(highlight=False)
    report = store.reports.get(run.report_id)
    lines = {
        "run": run.id,
        "repository": _cells(run, store)[1],
        "report": f"{run.subject_key}: {report.title}" if report else run.subject_key,
        "visibility": run.visibility,
        "asked by": run.requested_by,
        "state": run.state.value + (f", approved by {run.approved_by}" if run.approved_by else ""),
        "outcome": run.outcome,
        "reason": run.reason,
        "linked to": run.linked_run_id,
        "pull request": run.pull_url,
        "cost": f"{run.tokens} tokens, ${run.money:.2f}",
    }
    for name, value in lines.items():
        if value:
            console.print(f"{name:<13} {value}", markup=False, soft_wrap=True)
    for event in store.runs.events(run.id):
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(event.at))
        console.print(f"{at}  {event.what} {event.detail}", markup=False, soft_wrap=True)
    for name, digest in kept.items():
        console.print(f"file          {name} (sha256 {digest[:12]})", markup=False, soft_wrap=True)
    if run.state is RunState.WAITING:
        console.print(f"\nIt waits for approval: suture runs approve {run.id[:8]}", markup=False)


def _print_file(settings: Settings, kept: dict[str, str], name: str) -> None:
    if name not in kept:
        _fail(f"this run left no {name}", NOT_FOUND)
    try:
        sys.stdout.write(ArtifactStore(settings.artifacts).get(kept[name]).decode("utf-8", errors="replace"))
    except ArtifactError as error:
        _fail(str(error), NOT_FOUND)


def _fail(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"suture: {message}\n")
    raise typer.Exit(code)
