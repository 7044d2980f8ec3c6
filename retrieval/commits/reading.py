"""Single commits, read for somebody who wants to look closely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.commits.history import DIFF, read_commits
from retrieval.errors import UnknownRevisionError

if TYPE_CHECKING:
    from retrieval.commits.domain import CommitPatch
    from retrieval.git import GitRepository

CONTEXT = 5
_BYTES_PER_CHARACTER = 4


class RepositoryCommits:
    """The commits of a repository on disk."""

    def __init__(self, repository: GitRepository) -> None:
        self._repository = repository

    def commit(self, name: str) -> CommitPatch:
        """Return a commit; raise ``UnknownRevisionError`` when there is none of that name."""
        found = next(iter(read_commits(self._repository, (self._repository.resolve(name),))), None)
        if found is None:
            raise UnknownRevisionError(name)
        return found

    def file_diff(self, name: str, path: str, *, limit: int) -> str:
        """Return a file's difference to the first parent, cut at ``limit`` characters; empty without any."""
        arguments = ("diff-tree", "--root", "-r", "--no-commit-id", *DIFF, "-p", f"-U{CONTEXT}")
        with self._repository.stream(
            *arguments, self._repository.resolve(name), "--", f":(top,literal){path}"
        ) as output:
            return output.read(_BYTES_PER_CHARACTER * limit).decode("utf-8", "replace")[:limit]
