"""What the listwise agent needs from the outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from retrieval.commits.domain import CommitPatch


class CommitSource(Protocol):
    """The commits of a repository, to be read one at a time."""

    def commit(self, name: str) -> CommitPatch:
        """Return a commit; raise ``RetrievalError`` when it cannot be read."""
        ...

    def file_diff(self, name: str, path: str, *, limit: int) -> str:
        """Return a file's difference to the first parent, at most ``limit`` characters of it."""
        ...
