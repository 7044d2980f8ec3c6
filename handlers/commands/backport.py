"""``/patch backport BRANCH…``: carry the fix to release branches."""

from __future__ import annotations

from handlers.commands.command import Command, Takes, asking

COMMAND = Command(
    name="backport",
    usage="`/patch backport BRANCH…`",
    summary="carry the fix to release branches",
    intent=asking("backport"),
    takes=Takes.BRANCHES,
    on_closed=True,
)
