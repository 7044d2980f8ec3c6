"""What GitHub can refuse, beyond a plain status."""

from __future__ import annotations

import re

from bot.errors import GitHubError

HOST_PATH = re.compile(r"(?<![\w:/])/(?:[^\s/']+/)+")
"""Folders of this machine in git's words: nobody's business who reads an error on GitHub."""


class InstallationSuspendedError(GitHubError):
    """The installation is suspended: nothing may be asked until it is resumed; nothing is to be deleted."""


class PermissionMissingError(GitHubError):
    """The installation has not granted what a call needs; its owner must accept the new permissions."""


class PublicationRefusedError(GitHubError):
    """Suture itself will not write this: an empty patch, a default branch, a workflow, a symbolic link."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, status=None, retryable=False)


class HeadMovedError(GitHubError):
    """The branch is not where it was: somebody else's commits are on it and are never overwritten."""

    def __init__(self, branch: str, expected: str, found: str) -> None:
        super().__init__(
            f"the branch {branch} is at {found[:12] or 'nothing'}, not at {expected[:12] or 'nothing'}",
            status=None,
            retryable=False,
        )
        self.branch = branch
        self.expected = expected
        self.found = found


class RepositoryMovedError(GitHubError):
    """The repository answers under another address (renamed or transferred); ``location`` leads there."""

    def __init__(self, location: str, status: int) -> None:
        super().__init__("the repository was renamed or transferred", status=status, retryable=False)
        self.location = location


class GitError(GitHubError):
    """A git process failed or was stopped; ``status`` is always None, ``exit_code`` None when stopped."""

    def __init__(self, command: str, exit_code: int | None, words: str) -> None:
        lines = [HOST_PATH.sub("", line) for line in words.splitlines() if line.strip()]
        super().__init__(
            f"git {command}: {lines[-1][:200] if lines else 'no explanation'}",
            status=None,
            retryable=_passes(words),
        )
        self.exit_code = exit_code
        self.words = words


def _passes(words: str) -> bool:
    """Whether git's words speak of something that may be over later."""
    lower = words.lower()
    passing = (
        "timed out",
        "could not resolve",
        "connection",
        "early eof",
        "hung up",
        "returned error: 5",
        "429",
    )
    return any(sign in lower for sign in passing)
