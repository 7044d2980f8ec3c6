"""The one comment of a run: found by its hidden mark and by who wrote it, then edited, never repeated."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from github.IssueComment import IssueComment

from bot.errors import GitHubError
from bot.github.markers import carries, marked

if TYPE_CHECKING:
    from github.Repository import Repository as RemoteRepository


def find_comment(repository: RemoteRepository, number: int, key: str, author: str) -> IssueComment | None:
    """Return our comment with the key; a stranger who copies the mark is not believed."""
    for comment in repository.get_issue(number).get_comments():
        if comment.user.login == author and carries(key, comment.body):
            return comment
    return None


def write_comment(
    repository: RemoteRepository, number: int, key: str, body: str, *, author: str, known: int | None
) -> int:
    """Create or edit the comment; ``known`` is its id when this process wrote it before."""
    text = marked(key, body)
    if known is not None and _edited(repository, known, text):
        return known
    comment = find_comment(repository, number, key, author)
    if comment is None:
        return repository.get_issue(number).create_comment(text).id
    if comment.body != text:
        comment.edit(text)
    return comment.id


def _edited(repository: RemoteRepository, comment: int, text: str) -> bool:
    """Edit by id; False when somebody deleted the comment meanwhile."""
    url = f"{repository.url}/issues/comments/{comment}"
    try:
        IssueComment(repository.requester, url=url).edit(text)
    except GitHubError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return False
    return True
