"""Make a conversation shorter when a model cannot hold it: what is least needed goes first. Pure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.domain.conversation import Message, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT = 400
"""Characters of a tool's result that stay: what was asked is told by its call."""


def shortened(messages: Sequence[Message]) -> tuple[Message, ...] | None:
    """Return the conversation with about a third less in it, None when nothing is left to cut.

    Old results of tools go first, then the middle of the longest message; the last message stays.
    """
    size = sum(len(message.text) for message in messages)
    if not messages or size < 4 * KEPT:
        return None
    wanted, result = size * 2 // 3, list(messages)
    for at, message in enumerate(result[:-1]):
        if size <= wanted:
            return tuple(result)
        if message.role is Role.TOOL and len(message.text) > KEPT:
            result[at] = _cut(message, KEPT)
            size -= len(message.text) - len(result[at].text)
    while size > wanted:
        at = max(range(len(result)), key=lambda index: len(result[index].text))
        before = len(result[at].text)
        result[at] = _cut(result[at], max(KEPT, before // 2))
        if len(result[at].text) >= before:
            break
        size -= before - len(result[at].text)
    return tuple(result)


def _cut(message: Message, most: int) -> Message:
    note = "\n[... cut, the conversation was too long ...]\n"
    half = max(0, most - len(note)) // 2
    if len(message.text) <= most:
        return message
    return dataclasses.replace(message, text=f"{message.text[:half]}{note}{message.text[-half:]}")
