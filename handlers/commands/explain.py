"""``/patch explain``: tell how the patch was found and proved."""

from __future__ import annotations

from handlers.commands.command import Command, asking
from handlers.intents import Permission

COMMAND = Command(
    name="explain",
    usage="`/patch explain`",
    summary="tell how the patch was found and proved",
    intent=asking("explain"),
    instead=Permission.TRIAGE,
    on_closed=True,
)
