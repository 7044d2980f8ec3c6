"""A comment's text in, the intents of its command out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from handlers.commands.catalogue import BY_NAME
from handlers.commands.lines import command_lines
from handlers.commands.parser import Refusal, parse, split_name, unknown
from handlers.identity import MARKER, may_ask, required
from handlers.intents import RejectCommand

if TYPE_CHECKING:
    from handlers.commands.command import Command, Situation
    from handlers.commands.lines import CommandLine
    from handlers.intents import AnyIntent

_ONE_AT_A_TIME = "One command a comment, please; nothing was done."


def intents_of_comment(body: str, situation: Situation) -> tuple[AnyIntent, ...]:
    """Return what a new comment asks for; nothing for bots that are not listed, Suture, and its own text."""
    if not may_ask(situation.config, situation.actor) or MARKER in body:
        return ()
    lines = command_lines(body)
    if len(lines) > 1:
        return (_reject(situation, _ONE_AT_A_TIME),)
    return tuple(_intent(line, situation) for line in lines)


def _intent(line: CommandLine, situation: Situation) -> AnyIntent:
    name, rest = split_name(line)
    command = BY_NAME.get(name)
    if command is None:
        return _reject(situation, unknown(name).reason)
    refused = _misplaced(command, situation)
    if refused:
        return _reject(situation, refused)
    invocation = parse(command, rest, line.below, situation.config.models)
    if isinstance(invocation, Refusal):
        return _reject(situation, invocation.reason)
    return command.intent(_permitted(command, situation), invocation)


def _permitted(command: Command, situation: Situation) -> Situation:
    asked = command.instead or situation.config.permission
    return replace(situation, requires=required(situation.actor, asked, command.least))


def _misplaced(command: Command, situation: Situation) -> str:
    if situation.place not in command.places:
        return f"{command.usage} works only on {' or '.join(sorted(command.places))}."
    if situation.closed and not command.on_closed:
        return "This is closed; reopen it first."
    return ""


def _reject(situation: Situation, reason: str) -> RejectCommand:
    return RejectCommand(
        repository=situation.repository,
        actor=situation.actor,
        requires=required(situation.actor, situation.config.permission),
        subject=situation.subject,
        reason=reason,
    )
