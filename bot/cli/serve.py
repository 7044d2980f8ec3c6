"""``suture serve``: take webhooks, and carry out the jobs unless workers do that."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.process import run_app


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)


def serve(
    *,
    work: Annotated[
        bool, typer.Option("--work/--no-work", help="Also carry out jobs; without, start suture worker.")
    ] = True,
) -> None:
    """Serve the GitHub App: /webhook, /healthz, /readyz and /metrics, with its jobs."""
    run_app(serve=True, work=work)
