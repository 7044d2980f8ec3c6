"""What the listwise agent needs from the outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.tracing.domain import Message, ToolDescription, Turn
    from retrieval.commits.domain import CommitPatch


class ChatModel(Protocol):
    """A model that can call tools, or is made to by its adapter."""

    async def answer(self, messages: Sequence[Message], tools: Sequence[ToolDescription]) -> Turn:
        """Return the next turn; raise ``ModelError`` when the model cannot be asked."""
        ...


class CommitSource(Protocol):
    """The commits of a repository, to be read one at a time."""

    def commit(self, name: str) -> CommitPatch:
        """Return a commit; raise ``RetrievalError`` when it cannot be read."""
        ...

    def file_diff(self, name: str, path: str, *, limit: int) -> str:
        """Return a file's difference to the first parent, at most ``limit`` characters of it."""
        ...
