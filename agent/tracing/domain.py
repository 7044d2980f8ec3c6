"""Value types of the listwise agent: the conversation, the shortlist, and the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    """What a model answered, and the tokens that asking it cost."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDescription:
    """A tool as a model is told of it; ``parameters`` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A commit of the shortlist, by its rank from 1."""

    rank: int
    id: str
    subject: str
    date: str
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FixCommit:
    """A commit that is answered, and why."""

    id: str
    reason: str


class Basis(StrEnum):
    """What an answer rests on."""

    SUBMITTED = "submitted"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True, kw_only=True)
class TracingAnswer:
    """The fix, as one commit or several. A fallback is rank 1 of the shortlist, and ``note`` says what went wrong."""

    commits: tuple[FixCommit, ...]
    basis: Basis
    turns: int
    tokens: int
    note: str = ""
    conversation: tuple[Message, ...] = ()
