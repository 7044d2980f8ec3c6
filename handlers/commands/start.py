"""``/patch``: run on this report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.commands.command import Command, Place
from handlers.intents import StartRun

if TYPE_CHECKING:
    from handlers.commands.command import Invocation, Situation


def _intent(situation: Situation, invocation: Invocation) -> StartRun:
    return StartRun(
        repository=situation.repository,
        actor=situation.actor,
        requires=situation.requires,
        subject=situation.subject,
        command="patch",
        model=invocation.options.get("model", ""),
        depth=invocation.options.get("depth", ""),
    )


COMMAND = Command(
    name="",
    usage="`/patch [--model NAME] [--depth quick|standard|thorough]`",
    summary="find, reproduce and fix the flaw this report describes",
    intent=_intent,
    places=frozenset({Place.ISSUE}),
    options=frozenset({"model", "depth"}),
)
