"""A conversation with a model: who says what, which tools it may use, and what a turn cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from agent.domain.run import Cost

if TYPE_CHECKING:
    from collections.abc import Mapping


class ModelRole(StrEnum):
    """What a model is asked for; each role may have its own model."""

    AUTHOR = "author"
    REVIEWER = "reviewer"
    JUDGE = "judge"
    ENSEMBLE = "ensemble"


class Role(StrEnum):
    """Who says something in a conversation."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model's wish to use a tool; ``arguments`` are as it wrote them, nothing is checked yet."""

    id: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a conversation; ``call_id`` says which call a tool's message answers."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a model answered, and what asking it cost."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    cost: Cost = field(default_factory=Cost)

    @property
    def tokens(self) -> int:
        """Return the tokens read and written."""
        return self.cost.tokens_in + self.cost.tokens_out


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDescription:
    """A tool as a model is told of it; ``parameters`` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A rendered prompt; ``digest`` is the SHA-256 of its template, so that a record tells which text was used."""

    name: str
    digest: str
    text: str
