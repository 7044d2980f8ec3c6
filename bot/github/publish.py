"""From a patch to a draft pull request, each step looked up before it is taken.

A crash or a lost answer between any two requests leaves nothing double: the branch is known by its name, the
commit by the trailer in its message, the pull request by its branch, labels and reviewers by their names.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from bot.github.errors import HeadMovedError, PublicationRefusedError
from bot.github.gitdata import TreeReader, branch_head, entries, set_branch, write_tree
from bot.github.markers import made_for, trailer
from bot.github.pulls import add_labels, as_pull, ensure_pull, request_reviews
from bot.github.trees import checked_path, tree_changes

if TYPE_CHECKING:
    from collections.abc import Callable

    from github.GitCommit import GitCommit
    from github.Repository import Repository as RemoteRepository

    from bot.ports import Publication, PullRequest

OURS = "suture/"
COMMIT_MESSAGE = "commit_message"

log = structlog.get_logger(__name__)


def publish(
    repository: RemoteRepository, publication: Publication, identity: Callable[[], str]
) -> PullRequest:
    """Commit, point the branch, open or update the pull request; return it.

    ``identity`` gives ``Name <address>`` of the App for a sign-off. Raises ``PublicationRefusedError`` for
    what Suture never writes and ``HeadMovedError`` when the branch holds commits of others.
    """
    _refuse(repository, publication)
    head = branch_head(repository, publication.branch)
    if not _is_done(repository, publication, head):
        if head != publication.expected_head:
            raise HeadMovedError(publication.branch, publication.expected_head, head)
        head = _commit(repository, publication, identity)
    pull = ensure_pull(repository, publication)
    if pull.state == "open":
        missing = set(publication.labels) - {label.name for label in pull.labels}
        add_labels(repository, pull.number, sorted(missing))
        refused = request_reviews(repository, pull, publication.reviewers)
        if refused:
            log.warning("reviewers_refused", pull=pull.number, reviewers=refused)
    # What GitHub says of the head lags behind the branch for a moment; the branch is what we set.
    return replace(as_pull(pull), head_sha=head)


def _refuse(repository: RemoteRepository, publication: Publication) -> None:
    branch = publication.branch
    if not publication.changes:
        raise PublicationRefusedError("the patch is empty")
    for path in publication.changes:
        checked_path(path)
    if not branch.startswith(OURS) or branch in {publication.base_branch, repository.default_branch}:
        raise PublicationRefusedError(f"{branch} is no branch of Suture's")
    if repository.archived:
        raise PublicationRefusedError("the repository is archived")


def _is_done(repository: RemoteRepository, publication: Publication, head: str) -> bool:
    """Whether the branch already ends with the commit of this very publication."""
    if not head or head == publication.expected_head:
        return False
    return made_for(publication.key, repository.get_git_commit(head).message)


def _commit(repository: RemoteRepository, publication: Publication, identity: Callable[[], str]) -> str:
    parent = repository.get_git_commit(publication.expected_head or publication.base_sha)
    present = entries(TreeReader(repository, parent.tree.sha), publication.changes)
    changes = tree_changes(publication.changes, present)
    tree = write_tree(repository, parent, changes)
    commit = _signed(repository, publication, parent, tree.sha, identity)
    set_branch(repository, publication.branch, commit, expected=publication.expected_head)
    return commit


def _signed(
    repository: RemoteRepository,
    publication: Publication,
    parent: GitCommit,
    tree: str,
    identity: Callable[[], str],
) -> str:
    """Create the commit without an author: then GitHub puts the App's name and its own signature."""
    words = publication.extra.get(COMMIT_MESSAGE, publication.title).rstrip()
    lines = [trailer(publication.key)]
    if publication.sign_off:
        lines.append(f"Signed-off-by: {identity()}")
    body = {"message": f"{words}\n\n" + "\n".join(lines), "tree": tree, "parents": [parent.sha]}
    _, created = repository.requester.requestJsonAndCheck("POST", f"{repository.url}/git/commits", input=body)
    return str(created["sha"])
