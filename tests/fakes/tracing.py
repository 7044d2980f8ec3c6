"""A model that says what it was told to, and commits that exist only in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.errors import ModelError
from agent.tracing.domain import Message, ToolCall, Turn
from retrieval.errors import UnknownRevisionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.tracing.domain import ToolDescription
    from retrieval.commits.domain import CommitPatch


def call(name: str, **arguments: object) -> Turn:
    """Return a turn that uses one tool and costs ten tokens."""
    return Turn(calls=(ToolCall(id=f"call-{name}", name=name, arguments=arguments),), tokens=10)


class ScriptedModel:
    """Answers with the turns of its script, then as if the connection were lost; keeps what it was asked."""

    def __init__(self, *script: Turn) -> None:
        self._script = list(script)
        self.asked: list[tuple[Message, ...]] = []

    async def answer(self, messages: Sequence[Message], tools: Sequence[ToolDescription]) -> Turn:
        self.asked.append(tuple(messages))
        if not self._script:
            raise ModelError("connection lost", retryable=True)
        return self._script.pop(0)


class MemoryCommits:
    """Commits by id, and diffs by id and path."""

    def __init__(
        self, commits: Sequence[CommitPatch], diffs: Mapping[tuple[str, str], str] | None = None
    ) -> None:
        self._commits = {commit.id: commit for commit in commits}
        self._diffs = diffs or {}

    def commit(self, name: str) -> CommitPatch:
        if name not in self._commits:
            raise UnknownRevisionError(name)
        return self._commits[name]

    def file_diff(self, name: str, path: str, *, limit: int) -> str:
        self.commit(name)
        return self._diffs.get((name, path), "")[:limit]
