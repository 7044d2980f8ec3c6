"""The command line: one module a command, listed once here."""

from __future__ import annotations

from importlib import import_module

import typer

COMMANDS: tuple[str, ...] = (
    "fix",
    "doctor",
    "serve",
    "worker",
    "runs",
    "setup",
    "index",
    "locate",
    "trace",
    "backport",
)
"""Modules of this package; each has ``register(app)``. One line a command."""

EVALUATIONS: tuple[str, ...] = (
    "eval_localization",
    "eval_tracing",
    "eval_repair",
    "eval_validate",
)
"""Modules with the sub-commands of ``suture eval``; each has ``register(app)``."""


def build_app() -> typer.Typer:
    """Return the command line with every command registered."""
    app = typer.Typer(
        name="suture",
        help="Turn a security report into a draft pull request with evidence.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    evaluations = typer.Typer(name="eval", help="Measure Suture on real cases.", no_args_is_help=True)
    for name in COMMANDS:
        import_module(f"{__name__}.{name}").register(app)
    for name in EVALUATIONS:
        import_module(f"{__name__}.{name}").register(evaluations)
    app.add_typer(evaluations)
    return app


def main() -> None:
    """Run the command line."""
    build_app()()
