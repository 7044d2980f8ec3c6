"""Run every check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.sandbox.probe import probe
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
    return [
        Finding(
            check=f"sandbox: {found.name}",
            status=Status.OK if found.held else Status.FAILED,
            seen=found.detail,
            advice="" if found.held else found.advice,
        )
        for found in await probe(sandbox_config(settings))
    ]
