"""``/patch retry``: run again, with another model or depth if wished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.commands.command import Command
from handlers.intents import StartRun

if TYPE_CHECKING:
    from handlers.commands.command import Invocation, Situation


def _intent(situation: Situation, invocation: Invocation) -> StartRun:
    return StartRun(
        repository=situation.repository,
        actor=situation.actor,
        requires=situation.requires,
        subject=situation.subject,
        command="retry",
        model=invocation.options.get("model", ""),
        depth=invocation.options.get("depth", ""),
        retry=True,
    )


COMMAND = Command(
    name="retry",
    usage="`/patch retry [--model NAME] [--depth quick|standard|thorough]`",
    summary="run again from the start",
    intent=_intent,
    options=frozenset({"model", "depth"}),
)
