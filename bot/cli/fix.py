"""``suture fix``: the main job, from a report to a patch with evidence."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from enum import IntEnum
from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from agent.config import TOKENS, BudgetLimits, ModelChoice, RunConfig
from agent.domain.run import Depth, Outcome
from agent.errors import AgentError, ProjectError, ReportError
from agent.untrusted import shown
from bot.apply import apply_changes
from bot.cli.report_file import read_report_file
from bot.compose import open_workshop
from bot.errors import BotError, SettingsError
from bot.output.folder import OutputError
from bot.progress import ConsoleProgress, SilentProgress
from bot.repair import Repair, repair
from bot.settings import load_settings

if TYPE_CHECKING:
    from bot.output.schema import RunShape


class Exit(IntEnum):
    """What the exit code says."""

    FIXED = 0
    FAULT = 1
    USAGE = 2
    NOT_FIXED = 3


_USAGE = (ReportError, ProjectError, OutputError, SettingsError)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("fix")(fix)


def fix(
    path: Annotated[
        Path, typer.Argument(help="A git checkout or a plain folder; changed only with --apply.")
    ],
    report: Annotated[
        str, typer.Option(help="The report: Markdown, OSV, GitHub advisory or issue; - for standard input.")
    ],
    out: Annotated[Path, typer.Option(help="The folder for the results.")],
    *,
    offline: Annotated[
        bool, typer.Option("--offline", help="Use no model even if one is configured.")
    ] = False,
    model: Annotated[str, typer.Option(help="The model that writes proofs and patches.")] = "",
    tokens: Annotated[int | None, typer.Option(min=1, help="Spend at most so many tokens.")] = None,
    money: Annotated[float | None, typer.Option(min=0.001, help="Spend at most so many US dollars.")] = None,
    depth: Annotated[Depth, typer.Option(help="How much to spend.")] = Depth.STANDARD,
    minutes: Annotated[float, typer.Option(min=0.1, help="Stop after this long.")] = 45.0,
    apply: Annotated[bool, typer.Option("--apply", help="Write an accepted fix into PATH.")] = False,
    unsafe: Annotated[
        bool, typer.Option("--unsafe-no-sandbox", help="Run without a sandbox: for trees you trust only.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print run.json alone on standard output.")] = False,
) -> None:
    """Fix the flaw that a report describes, and prove it."""
    try:
        job = Repair(
            project=path.absolute(),
            report=read_report_file(report),
            out=out.absolute(),
            config=RunConfig(
                depth=depth,
                budget=BudgetLimits(minutes=minutes, money=money, tokens=tokens or TOKENS[depth]),
                models=ModelChoice(author=model),
            ),
            offline=offline,
        )
        code = asyncio.run(_fix(job, unsafe=unsafe, apply=apply, as_json=as_json))
    except _USAGE as error:
        _complain(error)
        raise typer.Exit(Exit.USAGE) from None
    except (AgentError, BotError) as error:
        _complain(error)
        raise typer.Exit(Exit.FAULT) from None
    except OSError as error:  # a full disk or a folder that is not ours, before there is anything to keep
        _complain(BotError(f"{error.filename or 'the machine'}: {error.strerror or error}"))
        raise typer.Exit(Exit.FAULT) from None
    raise typer.Exit(code)


async def _fix(job: Repair, *, unsafe: bool, apply: bool, as_json: bool) -> Exit:
    _stop_on_signals()
    workshop = open_workshop(load_settings(), unsafe=unsafe)
    progress = ConsoleProgress(Console(stderr=True))
    try:
        with progress:
            done = await repair(job, workshop, SilentProgress() if as_json else progress)
    except asyncio.CancelledError:
        _show_cancelled(job, as_json=as_json)
        return Exit.NOT_FIXED
    if apply and done.result.outcome is Outcome.FIXED and done.result.candidate is not None:
        apply_changes(job.project, done.result.candidate.changes, done.before)
    _show(done.run, job.out, as_json=as_json)
    fixed = done.result.outcome in {Outcome.FIXED, Outcome.ALREADY_FIXED}
    return Exit.FIXED if fixed else Exit.FAULT if done.result.outcome is Outcome.ERROR else Exit.NOT_FIXED


def _stop_on_signals() -> None:
    """Let Ctrl-C and a polite kill cancel the run, so that it cleans up and keeps what it found."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    if task is not None:
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, task.cancel)


def _show(run: RunShape, out: Path, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(run.model_dump_json(indent=2) + "\n")
        return
    console = Console()
    console.print(
        f"\n{run.outcome.value}: {shown(run.reason)}", markup=False, highlight=False, soft_wrap=True
    )
    if run.patch:
        diff = (out / "patch.diff").read_text("utf-8", "replace")
        console.print(shown(diff), markup=False, highlight=False, soft_wrap=True)
    console.print(f"page: {out / 'report.html'}", markup=False, highlight=False, soft_wrap=True)


def _show_cancelled(job: Repair, *, as_json: bool) -> None:
    with contextlib.suppress(OSError, ValueError):
        written = (job.out / "run.json").read_text("utf-8")
        if as_json and json.loads(written)["run_id"] == job.run_id:
            sys.stdout.write(written + "\n")
    Console(stderr=True).print(f"cancelled; what was found is in {job.out}", markup=False, soft_wrap=True)


def _complain(error: Exception) -> None:
    text = "".join(char if char.isprintable() else "?" for char in " ".join(str(error).split()))
    sys.stderr.write(f"suture: {text}\n")
