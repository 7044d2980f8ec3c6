"""The command line: one module a command, listed once here."""

from __future__ import annotations

import sys
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
    "eval_index",
    "eval_tracing",
    "eval_backports",
    "eval_repair",
    "eval_validate",
)
"""Modules with the sub-commands of ``suture eval``; each has ``register(app)``."""


def build_app(asked: str = "") -> typer.Typer:
    """Return the command line with every command, or with the one that is ``asked`` for.

    To load what all commands need (server, database, models) takes seconds that a single one need not wait for.
    """
    app = typer.Typer(
        name="suture",
        help="Turn a security report into a draft pull request with evidence.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback()(_suture)  # a name stays needed where only one command is registered
    evaluations = typer.Typer(name="eval", help="Measure Suture on real cases.", no_args_is_help=True)
    known = asked in COMMANDS or asked == evaluations.info.name
    for name in COMMANDS:
        if name == asked or not known:
            import_module(f"{__name__}.{name}").register(app)
    if asked not in COMMANDS:
        for name in EVALUATIONS:
            import_module(f"{__name__}.{name}").register(evaluations)
        app.add_typer(evaluations)
    return app


def _suture() -> None:
    """Turn a security report into a draft pull request with evidence."""


def main() -> None:
    """Run the command line."""
    build_app(next(iter(sys.argv[1:]), ""))()
