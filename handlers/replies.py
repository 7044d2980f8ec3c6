"""Short texts that Suture answers with on GitHub.

Every reply passes ``reply``: at most 25 visible lines, nobody mentioned, no line that could be a command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.untrusted import for_people, redact_secrets
from handlers.commands.catalogue import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from handlers.intents import Permission
    from handlers.triggers import TriggerConfig

VISIBLE_LINES = 25
LINE_CHARACTERS = 500

_COMMAND = re.compile(r"^([ \t]*)/(?=\w)", re.MULTILINE)


def reply(text: str) -> str:
    """Return ``text`` fit to be written under Suture's name; longer ones are cut, and say so.

    Lines are cut before anything is defused, so that no cut can open an HTML comment.
    """
    lines = [line[:LINE_CHARACTERS] for line in redact_secrets(text).strip().splitlines()]
    if len(lines) > VISIBLE_LINES:
        lines = [*lines[: VISIBLE_LINES - 1], "(shortened)"]
    return _COMMAND.sub(r"\1<!-- -->/", for_people("\n".join(lines)))


def help_text(config: TriggerConfig) -> str:
    """Return the list of commands, with what this repository asks of whoever uses them."""
    table = ["| command | what it does |", "|---|---|"]
    table += [f"| {_in_cell(command.usage)} | {command.summary} |" for command in COMMANDS]
    rule = "One command a comment, at the start of a line."
    return reply("\n".join([*table, "", f"{rule} Most need {config.permission} permission here."]))


def rejected(reason: str) -> str:
    """Return the answer to a command that is not understood or not possible."""
    return reply(reason)


def refused(needed: Permission) -> str:
    """Return the answer to somebody who may not give a command."""
    return reply(f"This needs {needed} permission on the repository; nothing was done.")


def not_available(command: str) -> str:
    """Return the answer to a command that this installation cannot carry out yet."""
    return reply(f"`/patch {command}` is understood, but this version of Suture cannot do it yet.")


def switched_off(path: str) -> str:
    """Return the answer while the repository has Suture switched off."""
    return reply(f"Suture is switched off here (`enabled: false` in `{path}`).")


def broken_config(problems: Sequence[str]) -> str:
    """Return what is wrong with the repository configuration, one line a problem."""
    return reply(
        "\n".join(["The configuration cannot be used; the last good one stays in force.", "", *problems])
    )


def _in_cell(text: str) -> str:
    return text.replace("|", r"\|")
