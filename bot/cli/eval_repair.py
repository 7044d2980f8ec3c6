"""``suture eval repair``: how many real flaws are repaired, judged by the four-phase oracle."""

from __future__ import annotations

import asyncio
import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path  # noqa: TC003 (typer reads annotations)
from typing import Annotated

import typer

from agent.domain.run import Depth
from agent.errors import AgentError
from bot.bench_progress import LineProgress, NotesOnly
from bot.bench_repairer import choose_repairer
from bot.cli.eval_validate import open_bench
from bot.compose import open_workshop
from bot.errors import BotError
from bot.settings import load_settings
from evaluation.errors import EvaluationError
from evaluation.repair.case_file import read_cases
from evaluation.repair.comparison import compare, read_stored
from evaluation.repair.conditions import Conditions, Shown
from evaluation.repair.report import Measurement, render, write_report
from evaluation.repair.running import RepairBench, kept_results
from evaluation.repair.stored import write_text
from evaluation.repair.summary import duel
from evaluation.repair.validating import Validator

REGRESSED = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("repair")(repair)


def repair(
    cases: Annotated[Path, typer.Option(help="The folder with <id>/case.yaml.")],
    repos: Annotated[Path, typer.Option(help="The folder with the repositories, as owner/name.git.")],
    out: Annotated[Path, typer.Option(help="Everything goes here; a second run goes on from it.")],
    *,
    only: Annotated[list[str] | None, typer.Option(help="Only these cases.")] = None,
    amendments: Annotated[Path | None, typer.Option(help="Corrections of cases, with reasons.")] = None,
    depth: Annotated[Depth, typer.Option(help="How much to spend.")] = Depth.STANDARD,
    poc: Annotated[Shown, typer.Option(help="The proof stands in the report.")] = Shown.SHOWN,
    instructions: Annotated[Shown, typer.Option(help="Packages and test line are given.")] = Shown.SHOWN,
    contract: Annotated[Shown, typer.Option(help="Pinned names and messages are told.")] = Shown.HIDDEN,
    minutes: Annotated[float, typer.Option(min=0.1, help="Stop a run after this long.")] = 45.0,
    repetitions: Annotated[int, typer.Option("-n", min=1, help="Runs a case.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="Cases at a time.")] = 1,
    baseline: Annotated[str, typer.Option(help="Another agent: mini-swe-agent, or a command template.")] = "",
    model: Annotated[str, typer.Option(help="The model that the other agent uses.")] = "",
    against: Annotated[
        Path | None, typer.Option(help="The --out of another measurement to compare with.")
    ] = None,
    validation: Annotated[Path | None, typer.Option(help="Where `eval validate` kept its results.")] = None,
    stored: Annotated[Path | None, typer.Option(help="An earlier report.json to compare with.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write the Markdown report here too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")] = False,
) -> None:
    """Repair every case and judge each patch by build, proof, regression tests and the developer's tests.

    Ends with 3 when a case that the stored report resolved is not resolved any more.
    """
    conditions = Conditions(
        proof=poc,
        instructions=instructions,
        contract=contract,
        depth=depth,
        minutes=minutes,
        repetitions=repetitions,
    )
    try:
        chosen = read_cases(cases, only=tuple(only or ()), amendments=amendments)
        workshop = open_workshop(load_settings())
        progress = LineProgress(stream=sys.stderr, jobs=jobs)
        opened = open_bench(workshop, repos)
        kept = (validation or out / "validation").absolute()
        bench = RepairBench(
            bench=opened,
            repairer=choose_repairer(workshop, baseline=baseline, model=model),
            conditions=conditions,
            out=out.absolute(),
            progress=progress,
            validator=Validator(bench=opened, out=kept, progress=NotesOnly(progress)),
            hidden=(cases.absolute(), repos.absolute()),
            jobs=jobs,
        )
        results = asyncio.run(bench.run(chosen))
        changes = compare(read_stored(stored), results) if stored else ()
        measurement = Measurement(
            cases=chosen,
            results=results,
            facts=bench.repairer.facts,
            conditions=conditions,
            machine=machine(),
            date=f"{datetime.now(UTC):%Y-%m-%d}",
            command=command(conditions, baseline=baseline, model=model),
            changes=changes,
            against=against.name if against else "",
            duel=duel(results, kept_results(against, chosen)) if against else None,
        )
        summary = write_report(out, measurement)
        if page is not None:
            write_text(page, render("report.md.j2", measurement, summary))
        sys.stdout.write((out / ("report.json" if as_json else "report.md")).read_text("utf-8"))
    except (EvaluationError, AgentError, BotError) as error:
        sys.stderr.write(f"suture: {error}\n")
        raise typer.Exit(2) from None
    raise typer.Exit(REGRESSED if any(change.worse for change in changes) else 0)


def machine() -> str:
    """Return what times depend on, without a name: system, processors, interpreter."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"


def command(conditions: Conditions, *, baseline: str = "", model: str = "") -> str:
    """Return the command line that measures this again; folders are placeholders."""
    switches = {
        "--poc": conditions.proof.value,
        "--instructions": conditions.instructions.value,
        "--contract": conditions.contract.value,
        "--depth": conditions.depth.value,
        "-n": str(conditions.repetitions),
        "--baseline": baseline,
        "--model": model,
    }
    told = " ".join(f"{name} {shlex.quote(value)}" for name, value in switches.items() if value)
    return f"suture eval repair --cases CASES --repos REPOS --out OUT {told}"
