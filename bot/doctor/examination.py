"""Run every check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.errors import AgentError
from agent.sandbox.probe import probe_sandbox
from agent.sandbox.select import open_sandbox
from bot.compose import sandbox_config
from bot.doctor.finding import Finding, Status
from bot.doctor.programs import check_programs
from bot.doctor.services import check_database, check_github, check_model

if TYPE_CHECKING:
    from bot.settings import Settings


async def examine(settings: Settings) -> list[Finding]:
    """Return the findings in the order people fix things."""
    return [
        *check_programs(),
        *await check_sandbox(settings),
        check_model(settings),
        check_database(settings),
        check_github(settings),
    ]


async def check_sandbox(settings: Settings) -> list[Finding]:
    """Start a sandbox for real and try to get out of it."""
    try:
        sandbox = open_sandbox(sandbox_config(settings))
        probed = await probe_sandbox(sandbox)
    except AgentError as error:
        advice = getattr(error, "advice", "")
        return [Finding(check="sandbox", status=Status.FAILED, seen=str(error), advice=advice)]
    started = Finding(check="sandbox", status=Status.OK, seen=f"{sandbox.name} starts")
    return [started, *(_probe_finding(item.name, held=item.held, seen=item.detail) for item in probed)]


def _probe_finding(name: str, *, held: bool, seen: str) -> Finding:
    return Finding(
        check=f"sandbox: {name}",
        status=Status.OK if held else Status.FAILED,
        seen=seen,
        advice="" if held else "do not run untrusted projects here; see docs/guide/security.md",
    )
