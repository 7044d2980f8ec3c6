"""A model that says what it was told to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from agent.domain.conversation import ToolCall, Turn
from agent.domain.run import Cost
from agent.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.domain.conversation import Message, ToolDescription

PRICE = Cost(calls=1, tokens_in=8, tokens_out=2)


def call(name: str, /, **arguments: object) -> Turn:
    """Return a turn that uses one tool and costs ten tokens."""
    return Turn(calls=(ToolCall(id=f"call-{name}", name=name, arguments=arguments),), cost=PRICE)


def say(text: str | Mapping[str, object]) -> Turn:
    """Return a turn that says something, an object as JSON, and costs ten tokens."""
    return Turn(text=text if isinstance(text, str) else json.dumps(text), cost=PRICE)


class ScriptedModel:
    """Answers with the turns of its script, then as if the connection were lost; keeps what it was asked.

    A turn may be given as an exception to raise.
    """

    def __init__(self, *script: Turn | Exception, name: str = "scripted") -> None:
        self._script = list(script)
        self.name = name
        self.asked: list[tuple[Message, ...]] = []
        self.offered: list[tuple[str, ...]] = []

    async def answer(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDescription] = (),
        *,
        temperature: float = 0.0,
        schema: Mapping[str, object] | None = None,
    ) -> Turn:
        del temperature, schema
        self.asked.append(tuple(messages))
        self.offered.append(tuple(tool.name for tool in tools))
        if not self._script:
            raise ModelError("connection lost", retryable=True)
        turn = self._script.pop(0)
        if isinstance(turn, Exception):
            raise turn
        return turn
