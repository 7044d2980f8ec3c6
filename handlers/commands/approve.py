"""``/patch approve``: publish a result that waits for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.commands.command import Command
from handlers.intents import ApproveRun, Permission

if TYPE_CHECKING:
    from handlers.commands.command import Invocation, Situation


def _intent(situation: Situation, _invocation: Invocation) -> ApproveRun:
    return ApproveRun(
        repository=situation.repository,
        actor=situation.actor,
        requires=situation.requires,
        subject=situation.subject,
    )


COMMAND = Command(
    name="approve",
    usage="`/patch approve`",
    summary="publish a result that waits for a person",
    intent=_intent,
    least=Permission.WRITE,
)
