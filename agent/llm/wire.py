"""Messages, tools and arguments between our words and the wire's. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agent.domain.conversation import Role

if TYPE_CHECKING:
    from agent.domain.conversation import Message, ToolDescription


def as_sdk(message: Message) -> dict[str, Any]:
    """Return a message as the endpoint takes it."""
    if message.role is Role.TOOL:
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    said: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.calls:
        said["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in message.calls
        ]
    return said


def tool_of(tool: ToolDescription) -> dict[str, Any]:
    """Return a tool as the endpoint takes it."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def arguments_of(text: str) -> dict[str, object]:
    """Return a call's arguments; what cannot be read is none, and the tool says what it misses."""
    try:
        found = json.loads(text or "{}")
    except (json.JSONDecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
