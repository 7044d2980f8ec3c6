"""``python -m bot.demo``: fix each demonstration and show what came out."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from agent.domain.run import Outcome
from agent.errors import AgentError
from agent.reports import read_report
from agent.untrusted import shown
from bot.compose import open_workshop
from bot.demo.releases import bring, read_demos
from bot.errors import BotError
from bot.progress import ConsoleProgress
from bot.repair import Repair, repair
from bot.settings import load_settings

if TYPE_CHECKING:
    from bot.compose import Workshop
    from bot.demo.releases import Demo

_ROOT = Path(__file__).resolve().parents[2]


async def main(demos: Path, target: Path) -> int:
    """Run every demonstration below ``demos``, results below ``target``; return 0 when each ended ``fixed``."""
    console = Console()
    workshop = open_workshop(load_settings())
    started = time.monotonic()
    outcomes = [await _show(demo, target, workshop, console) for demo in read_demos(demos)]
    fixed = sum(outcome is Outcome.FIXED for outcome in outcomes)
    console.print(f"\n{fixed} of {len(outcomes)} fixed in {time.monotonic() - started:.0f} s")
    return 0 if fixed == len(outcomes) else 1


async def _show(demo: Demo, target: Path, workshop: Workshop, console: Console) -> Outcome:
    report = read_report(demo.report.read_bytes(), name=demo.report.name)
    console.rule(f"{demo.release.package} {demo.release.version}: {report.title}")
    project = await bring(demo.release, target / "releases", workshop.sandbox)
    out = target / demo.release.package
    with ConsoleProgress(console) as progress:
        done = await repair(Repair(project=project, report=report, out=out), workshop, progress)
    console.print(f"\n{done.result.outcome.value}: {done.result.reason}", markup=False, highlight=False)
    console.print(shown(done.result.diff), markup=False, highlight=False, soft_wrap=True)
    console.print(f"page: {out / 'report.html'}", markup=False, highlight=False, soft_wrap=True)
    return done.result.outcome


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(_ROOT / "tests" / "data" / "demo", _ROOT / ".demo")))
    except (AgentError, BotError) as error:
        sys.exit(f"suture demo: {error}")
