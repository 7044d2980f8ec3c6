"""What can go wrong while ranking; facts are attributes, ``retryable`` says whether trying again can help."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class RetrievalError(Exception):
    """Base of every error of this package."""

    retryable = False


class GitError(RetrievalError):
    """Git could not be started or ended with an error; ``command`` is its sub-command."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(f"git {command}: {reason}")
        self.command = command
        self.reason = reason


class GitTimeoutError(GitError):
    """Git ran longer than it may and was stopped."""

    retryable = True


class UnknownRevisionError(GitError):
    """The revision names no commit of the repository."""

    def __init__(self, revision: str) -> None:
        super().__init__("rev-parse", f"there is no commit {revision!r} in this repository")
        self.revision = revision


class NotARepositoryError(GitError):
    """The path is no git repository that may be read."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__("rev-parse", f"{path} is not a readable git repository: {reason}")
        self.path = path


class NoTreeError(RetrievalError):
    """There is nothing to rank at the path; the message says what to do."""


class IndexDamagedError(RetrievalError):
    """The index cannot be read; it holds nothing that cannot be built again."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"the index in {folder} cannot be read; delete it with: suture index --delete")
        self.folder = folder


class IndexBusyError(RetrievalError):
    """Another process holds the index."""

    retryable = True

    def __init__(self, folder: Path) -> None:
        super().__init__(f"the index in {folder} is being written by another process; try again")
        self.folder = folder


class EmbedderError(RetrievalError):
    """An embedder is not installed, not reachable or gave no vectors; the message says what to do."""

    def __init__(self, reason: str, *, retryable: bool = False) -> None:
        super().__init__(reason)
        self.retryable = retryable


class PastIssuesError(RetrievalError):
    """The past issues cannot be read; the message names file and line."""
