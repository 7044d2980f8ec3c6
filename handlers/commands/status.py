"""``/patch status``: tell what the run is doing."""

from __future__ import annotations

from handlers.commands.command import Command, asking
from handlers.intents import Permission

COMMAND = Command(
    name="status",
    usage="`/patch status`",
    summary="tell what the run is doing",
    intent=asking("status"),
    instead=Permission.TRIAGE,
    on_closed=True,
)
