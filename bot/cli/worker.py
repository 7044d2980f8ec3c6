"""``suture worker``: carry out jobs beside a server; as many as wanted on one PostgreSQL database."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.process import run_app


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("worker")(worker)


def worker(
    *,
    slot: Annotated[
        str, typer.Option(help="This worker's name, stable over restarts; by default the first free one.")
    ] = "",
) -> None:
    """Carry out jobs; serves /healthz, /readyz and /metrics, but no webhooks."""
    run_app(serve=False, work=True, slot=slot)
