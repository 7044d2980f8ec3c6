"""Every command there is: one line each, in the order ``/patch help`` shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.commands import (
    approve,
    attack,
    backport,
    explain,
    help,  # noqa: A004 (a command is named as people type it)
    refine,
    retry,
    start,
    status,
    stop,
    trace,
)

if TYPE_CHECKING:
    from handlers.commands.command import Command

COMMANDS: tuple[Command, ...] = (
    start.COMMAND,
    retry.COMMAND,
    refine.COMMAND,
    explain.COMMAND,
    status.COMMAND,
    stop.COMMAND,
    approve.COMMAND,
    trace.COMMAND,
    backport.COMMAND,
    attack.COMMAND,
    help.COMMAND,
)

BY_NAME = {command.name: command for command in COMMANDS}
