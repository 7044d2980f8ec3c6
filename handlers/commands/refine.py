"""``/patch refine TEXT``: improve the patch as the words say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.commands.command import Command, Place, Takes
from handlers.intents import RefineRun

if TYPE_CHECKING:
    from handlers.commands.command import Invocation, Situation


def _intent(situation: Situation, invocation: Invocation) -> RefineRun:
    on_pull = situation.place is Place.OWN_PULL_REQUEST
    return RefineRun(
        repository=situation.repository,
        actor=situation.actor,
        requires=situation.requires,
        pull_number=(situation.subject.number or 0) if on_pull else 0,
        feedback=invocation.text,
        cause="command",
        subject=situation.subject,
    )


COMMAND = Command(
    name="refine",
    usage="`/patch refine TEXT`",
    summary="improve the patch as TEXT says; it may go on below the line",
    intent=_intent,
    takes=Takes.TEXT,
)
