"""Value types of the listwise agent: the shortlist and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.domain.conversation import Message


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
