"""Reads what ``policies`` understands from a repository."""

from __future__ import annotations

from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING

from bot.errors import GitHubError
from bot.github.contents import read_file
from bot.github.policies import (
    OWNER_FILES,
    POLICY_FILES,
    TEMPLATE_FILES,
    HouseRules,
    commit_style,
    prohibition,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from github.Repository import Repository as RemoteRepository

SUBJECTS = 50


def house_rules(repository: RemoteRepository) -> HouseRules:
    """Return the repository's rules; a file that is not there rules nothing."""
    folders = {folder: _names(repository, folder) for folder in (".github", "", "docs")}
    policies = (prohibition(path, text) for path, text in _texts(repository, folders, POLICY_FILES))
    owners = next((text for _, text in _texts(repository, folders, OWNER_FILES)), "")
    template = next((text for _, text in _texts(repository, folders, TEMPLATE_FILES)), "")
    return HouseRules(
        prohibition=next((found for found in policies if found), None),
        template=template,
        owners=owners,
        commit_style=commit_style(_subjects(repository)),
    )


def _texts(
    repository: RemoteRepository, folders: dict[str, frozenset[str]], paths: Iterable[str]
) -> Iterator[tuple[str, str]]:
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name in folders[folder]:
            yield path, (read_file(repository, path) or b"").decode(errors="replace")


def _names(repository: RemoteRepository, folder: str) -> frozenset[str]:
    """Return the names in a folder: one question instead of one for each name a file might have."""
    try:
        url = f"{repository.url}/contents/{folder}" if folder else f"{repository.url}/contents/"
        _, found = repository.requester.requestJsonAndCheck("GET", url)
    except GitHubError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return frozenset()
    return frozenset(item["name"] for item in found) if isinstance(found, list) else frozenset()


def _subjects(repository: RemoteRepository) -> list[str]:
    recent = islice(repository.get_commits(), SUBJECTS)
    return [commit.commit.message.split("\n", 1)[0] for commit in recent]
