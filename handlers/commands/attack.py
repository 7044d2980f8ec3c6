"""``/patch attack``: try to show that the patch of this pull request does not close the flaw."""

from __future__ import annotations

from handlers.commands.command import Command, Place, asking

COMMAND = Command(
    name="attack",
    usage="`/patch attack`",
    summary="try to show that the patch of this pull request does not close the flaw",
    intent=asking("attack"),
    places=frozenset({Place.OWN_PULL_REQUEST, Place.OTHER_PULL_REQUEST}),
    on_closed=True,
)
