"""``/patch help``: list the commands."""

from __future__ import annotations

from handlers.commands.command import EVERYWHERE, Command, asking
from handlers.intents import Permission

COMMAND = Command(
    name="help",
    usage="`/patch help`",
    summary="list the commands",
    intent=asking("help"),
    places=EVERYWHERE,
    instead=Permission.TRIAGE,
    on_closed=True,
)
