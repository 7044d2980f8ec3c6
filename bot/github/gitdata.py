"""Branches and commits by the Git data API, so that GitHub signs them in the App's name."""

from __future__ import annotations

import base64
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from github.InputGitTreeElement import InputGitTreeElement

from bot.errors import GitHubError
from bot.github.errors import HeadMovedError, PublicationRefusedError
from bot.github.trees import Change, Entry, blob_sha

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from github.GitCommit import GitCommit
    from github.GitTree import GitTree
    from github.Repository import Repository as RemoteRepository

FOLDER = "tree"


def branch_head(repository: RemoteRepository, branch: str) -> str:
    """Return the commit a branch points to, empty when there is no such branch."""
    try:
        return repository.get_git_ref(f"heads/{branch}").object.sha
    except GitHubError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return ""
        raise


class TreeReader:
    """Looks paths up in one tree, a folder at a time: GitHub cuts recursive listings of large ones."""

    def __init__(self, repository: RemoteRepository, root: str) -> None:
        self._repository = repository
        self._folders: dict[str, dict[str, tuple[str, str, str]]] = {}
        self._root = root

    def entry(self, path: str) -> Entry | None:
        """Return the entry of a path, None when there is none."""
        sha, *parts = self._root, *path.split("/")
        for depth, part in enumerate(parts):
            found = self._folder(sha).get(part)
            if found is None:
                return None
            kind, mode, sha = found
            if kind != FOLDER and depth < len(parts) - 1:
                raise PublicationRefusedError(f"{'/'.join(parts[: depth + 1])} is no folder")
        return Entry(mode, sha)

    def _folder(self, sha: str) -> dict[str, tuple[str, str, str]]:
        if sha not in self._folders:
            tree = self._repository.get_git_tree(sha).tree
            self._folders[sha] = {item.path: (item.type, item.mode, item.sha) for item in tree}
        return self._folders[sha]


def write_tree(repository: RemoteRepository, parent: GitCommit, changes: Sequence[Change]) -> GitTree:
    """Create the tree of ``parent`` with the changes, and see that GitHub holds the very bytes."""
    elements = [_element(repository, change) for change in changes]
    tree = repository.create_git_tree(elements, base_tree=parent.tree)
    reader = TreeReader(repository, tree.sha)
    for change in changes:
        expected = None if change.content is None else Entry(change.mode, blob_sha(change.content))
        if reader.entry(change.path) != expected:
            raise GitHubError(f"GitHub did not keep the bytes of {change.path}", status=None, retryable=False)
    return tree


def set_branch(repository: RemoteRepository, branch: str, commit: str, *, expected: str) -> None:
    """Point a branch to a commit that follows ``expected`` (empty: create it); never by force."""
    try:
        if expected:
            _advance(repository, branch, commit, expected)
        else:
            repository.create_git_ref(f"refs/heads/{branch}", commit)
    except GitHubError as error:
        if error.status != HTTPStatus.UNPROCESSABLE_ENTITY:
            raise
        found = branch_head(repository, branch)
        if found == commit:
            return  # it was done already, only its answer was lost
        if found != expected:
            raise HeadMovedError(branch, expected, found) from error
        raise


def _advance(repository: RemoteRepository, branch: str, commit: str, expected: str) -> None:
    found = branch_head(repository, branch)
    if found != expected:
        raise HeadMovedError(branch, expected, found)
    url = f"{repository.url}/git/refs/heads/{quote(branch)}"
    repository.requester.requestJsonAndCheck("PATCH", url, input={"sha": commit, "force": False})


def _element(repository: RemoteRepository, change: Change) -> InputGitTreeElement:
    if change.content is None:
        return InputGitTreeElement(change.path, change.mode, "blob", sha=None)
    if (text := change.text) is not None:
        return InputGitTreeElement(change.path, change.mode, "blob", content=text)
    encoded = base64.b64encode(change.content).decode()
    blob = repository.create_git_blob(encoded, "base64")
    return InputGitTreeElement(change.path, change.mode, "blob", sha=blob.sha)


def entries(reader: TreeReader, paths: Iterable[str]) -> dict[str, Entry | None]:
    """Return the present entry of each path."""
    return {path: reader.entry(path) for path in paths}
