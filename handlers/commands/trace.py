"""``/patch trace``: find the upstream commit that fixed this flaw."""

from __future__ import annotations

from handlers.commands.command import Command, asking

COMMAND = Command(
    name="trace",
    usage="`/patch trace`",
    summary="find the upstream commit that fixed this flaw",
    intent=asking("trace"),
    on_closed=True,
)
