"""Runs the App until it is told to stop; what ``suture serve`` and ``suture worker`` share."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from typing import TYPE_CHECKING

import typer

from agent.errors import AgentError
from bot.app import App
from bot.errors import BotError, SettingsError, SlotLostError
from bot.production import open_ports
from bot.settings import load_settings
from bot.telemetry import configure_logging

if TYPE_CHECKING:
    from bot.app import Ports
    from bot.settings import Settings

USAGE, FAULT, LOST_SLOT = 2, 1, 75
"""Exit codes; 75 (try again later) lets a supervisor start the process anew."""


def run_app(*, serve: bool, work: bool, slot: str = "") -> None:
    """Load the settings, open the ports, run until SIGTERM or SIGINT; one line for what goes wrong."""
    try:
        settings = load_settings()
        configure_logging(settings.log_level, settings.log_format)
        ports = open_ports(settings)
        settings = with_identity(settings, ports, slot)
        asyncio.run(_run(App(settings=settings, ports=ports, serve=serve, work=work)))
    except SettingsError as error:
        fail(error, USAGE)
    except SlotLostError as error:
        fail(error, LOST_SLOT)
    except (BotError, AgentError, OSError) as error:
        fail(error, FAULT)


def with_identity(settings: Settings, ports: Ports, slot: str) -> Settings:
    """Return the settings with the App's own name, asked of GitHub when it is not set."""
    connection = getattr(ports.github, "connection", None)
    slug = settings.app_slug or (connection.slug() if connection else "")
    return settings.model_copy(update={"app_slug": slug, "slot": slot or settings.slot})


def fail(error: Exception, code: int) -> None:
    """Say what is wrong in one line and leave."""
    sys.stderr.write(f"suture: {error}\n")
    raise typer.Exit(code) from None


async def _run(app: App) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    await app.start()
    waits = {asyncio.create_task(app.wait()), asyncio.create_task(stopping.wait())}
    try:
        done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        for task in done:
            task.result()
    finally:
        await app.stop()
