"""Tools for endpoints that know none: told in words, called as one JSON object in the answer. Pure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from agent.domain.conversation import Message, Role, ToolCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.domain.conversation import ToolDescription

MOST_CALLS = 8
_FENCE = re.compile(r"```(?:json|tool)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
_INTRODUCTION = (
    "You may use tools before you answer. To use some, answer with nothing but one JSON object of this form:\n"
    '{"tool_calls": [{"name": "NAME", "arguments": {...}}]}\n'
    "The results come in the next message. When you know enough, give the answer itself instead.\nThe tools:"
)


def told(messages: Sequence[Message], tools: Sequence[ToolDescription]) -> tuple[Message, ...]:
    """Return the conversation without any tool message: tools, calls and results as words of the two sides."""
    written = [_as_words(message) for message in messages]
    if tools and written:
        lines = [
            f"- {tool.name}: {tool.description} Arguments: "
            f"{json.dumps(tool.parameters, separators=(',', ':'))}"
            for tool in tools
        ]
        text = "\n".join([written[0].text, "", _INTRODUCTION, *lines])
        written[0] = Message(role=written[0].role, text=text)
    return tuple(_joined(written))


def calls_in(text: str, names: frozenset[str]) -> tuple[ToolCall, ...]:
    """Return the calls that an answer holds, none when it is an answer."""
    for body in (*_FENCE.findall(text), text[text.find("{") : text.rfind("}") + 1]):
        try:
            found = json.loads(body)
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(found, dict):
            given = found.get("tool_calls", [found])
            calls = (
                [_call(number, one, names) for number, one in enumerate(given)]
                if isinstance(given, list)
                else []
            )
            if calls and all(calls):
                return tuple(call for call in calls if call is not None)
    return ()


def _call(number: int, given: object, names: frozenset[str]) -> ToolCall | None:
    if not isinstance(given, dict) or given.get("name") not in names:
        return None
    arguments = given.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except json.JSONDecodeError:
            return None
    if not isinstance(arguments, dict):
        return None
    return ToolCall(id=f"text-{number}", name=str(given["name"]), arguments=arguments)


def _as_words(message: Message) -> Message:
    if message.role is Role.TOOL:
        return Message(role=Role.USER, text=f"Result of {message.call_id}:\n{message.text}")
    if message.calls:
        calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in message.calls]
        text = "\n".join(filter(None, [message.text, json.dumps({"tool_calls": calls})]))
        return Message(role=message.role, text=text)
    return message


def _joined(messages: Sequence[Message]) -> list[Message]:
    """Join messages of one side that follow one another: many endpoints want the sides to take turns."""
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].role is message.role:
            text = f"{joined[-1].text}\n\n{message.text}"
            joined[-1] = Message(role=message.role, text=text)
        else:
            joined.append(message)
    return joined
