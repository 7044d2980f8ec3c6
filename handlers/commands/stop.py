"""``/patch stop``: stop the run of this report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.commands.command import Command
from handlers.intents import CancelRun

if TYPE_CHECKING:
    from handlers.commands.command import Invocation, Situation


def _intent(situation: Situation, _invocation: Invocation) -> CancelRun:
    return CancelRun(
        repository=situation.repository,
        actor=situation.actor,
        requires=situation.requires,
        subject=situation.subject,
    )


COMMAND = Command(
    name="stop",
    usage="`/patch stop`",
    summary="stop the run",
    intent=_intent,
    on_closed=True,
)
