"""``suture eval validate``: whether cases can be believed, before anything is measured on them."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path  # noqa: TC003 (typer reads annotations)
from typing import TYPE_CHECKING, Annotated

import typer

from agent.errors import AgentError
from bot.bench_progress import LineProgress
from bot.bench_repairer import CACHE
from bot.compose import open_workshop
from bot.errors import BotError
from bot.settings import load_settings
from evaluation.errors import EvaluationError
from evaluation.repair.case_file import read_cases
from evaluation.repair.oracle import OracleLimits
from evaluation.repair.posing import Bench
from evaluation.repair.validating import Validator
from evaluation.repair.validation_table import validation_table

if TYPE_CHECKING:
    from bot.compose import Workshop
    from evaluation.repair.validation import Validation

NOT_VALID = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("validate")(validate)


def open_bench(workshop: Workshop, repos: Path, limits: OracleLimits | None = None) -> Bench:
    """Return the bench in the operator's workshop."""
    return Bench(
        repositories=repos.absolute(),
        sandbox=workshop.sandbox,
        toolchains=workshop.toolchains_of(CACHE),
        scratch=workshop.scratch(),
        limits=limits or OracleLimits(),
    )


def validate(
    cases: Annotated[Path, typer.Option(help="The folder with <id>/case.yaml.")],
    repos: Annotated[Path, typer.Option(help="The folder with the repositories, as owner/name.git.")],
    out: Annotated[Path, typer.Option(help="Keep the results here; a second run goes on from them.")],
    *,
    only: Annotated[list[str] | None, typer.Option(help="Only these cases.")] = None,
    amendments: Annotated[Path | None, typer.Option(help="Corrections of cases, with reasons.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Cases at a time.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")] = False,
) -> None:
    """Show for each case: vulnerable, fixed by the upstream fix in all four phases, cheap patches refused."""
    try:
        chosen = read_cases(cases, only=tuple(only or ()), amendments=amendments)
        bench = open_bench(open_workshop(load_settings()), repos)
        progress = LineProgress(stream=sys.stderr, jobs=jobs)
        validator = Validator(bench=bench, out=out.absolute(), progress=progress, jobs=jobs)
        found = asyncio.run(validator.run(chosen))
    except (EvaluationError, AgentError, BotError) as error:
        sys.stderr.write(f"suture: {error}\n")
        raise typer.Exit(2) from None
    sys.stdout.write(_as_json(found) if as_json else validation_table(found, chosen))
    raise typer.Exit(0 if all(one.holds for one in found) else NOT_VALID)


def _as_json(found: tuple[Validation, ...]) -> str:
    rows = [{"case": one.case_id, "holds": one.holds, "wrong": list(one.wrong)} for one in found]
    return json.dumps({"schema_version": 1, "cases": rows}, indent=1) + "\n"
