"""Pull requests: found by branch or by what they mention, opened as drafts, never reopened or doubled."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from bot.errors import GitHubError
from bot.github.errors import PublicationRefusedError
from bot.github.markers import marked, rewritten
from bot.ports import PullRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from github.PullRequest import PullRequest as RemotePull
    from github.Repository import Repository as RemoteRepository

    from bot.ports import Publication

SEARCHED = 1000


def as_pull(pull: RemotePull) -> PullRequest:
    """Return what the jobs care for."""
    return PullRequest(
        number=pull.number,
        url=pull.html_url,
        head_ref=pull.head.ref,
        head_sha=pull.head.sha,
        state="merged" if pull.merged_at else pull.state,
        author_login=pull.user.login,
        draft=pull.draft,
    )


def find_pull(repository: RemoteRepository, branch: str) -> RemotePull | None:
    """Return the pull request of a branch of this repository: the open one, else the latest."""
    owner = repository.url.split("/")[-2]
    pulls = [
        pull
        for pull in repository.get_pulls(state="all", head=f"{owner}:{branch}")
        if pull.head.ref == branch
    ]
    return next((pull for pull in pulls if pull.state == "open"), pulls[0] if pulls else None)


def ensure_pull(repository: RemoteRepository, publication: Publication) -> RemotePull:
    """Return the pull request of the publication's branch, opening it if there is none.

    An open one gets the new body inside Suture's section; what people wrote around it stays. A closed one
    was somebody's decision and is returned as it is.
    """
    pull = find_pull(repository, publication.branch)
    if pull is None:
        return _open(repository, publication)
    mark = publication.branch
    body = rewritten(mark, pull.body, publication.body)
    if pull.state == "open" and body is not None and body != pull.body:
        pull.edit(body=body)
    return pull


def _open(repository: RemoteRepository, publication: Publication) -> RemotePull:
    for draft in (True, False) if publication.draft else (False,):
        try:
            return repository.create_pull(
                publication.base_branch,
                publication.branch,
                title=publication.title,
                body=marked(publication.branch, publication.body),
                draft=draft,
                maintainer_can_modify=True,
            )
        except GitHubError as error:
            if error.status != HTTPStatus.UNPROCESSABLE_ENTITY:
                raise
            if (pull := _after_refusal(repository, publication.branch, str(error))) is not None:
                return pull
            if not (draft and "draft" in str(error).lower()):
                raise
            # Private repositories of some plans know no drafts: an ordinary pull request is what is left.
    raise AssertionError("an ordinary pull request is opened or refused")


def _after_refusal(repository: RemoteRepository, branch: str, said: str) -> RemotePull | None:
    if "no commits between" in said.lower():
        raise PublicationRefusedError("the base branch already holds the patch")
    return find_pull(repository, branch) if "already exists" in said.lower() else None


def add_labels(repository: RemoteRepository, number: int, labels: Sequence[str]) -> None:
    """Add labels; GitHub creates those it does not know."""
    if labels:
        # PyGithub sends a bare list, which GitHub's own description of its API does not allow.
        url = f"{repository.url}/issues/{number}/labels"
        repository.requester.requestJsonAndCheck("POST", url, input={"labels": list(labels)})


def request_reviews(
    repository: RemoteRepository, pull: RemotePull, reviewers: Iterable[str]
) -> tuple[str, ...]:
    """Ask each reviewer (``login`` or ``organisation/team``) once; return those GitHub does not accept."""
    asked = {user.login.lower() for user in pull.requested_reviewers}
    asked |= {team.slug.lower() for team in pull.requested_teams}
    refused = []
    for reviewer in dict.fromkeys(name.removeprefix("@") for name in reviewers):
        _, slash, team = reviewer.partition("/")
        if (team or reviewer).lower() in asked or reviewer.lower() == pull.user.login.lower():
            continue
        field, name = ("team_reviewers", team) if slash else ("reviewers", reviewer)
        if not _requested(repository, pull.number, field, name):
            refused.append(reviewer)
    return tuple(refused)


def _requested(repository: RemoteRepository, number: int, field: str, name: str) -> bool:
    url = f"{repository.url}/pulls/{number}/requested_reviewers"
    try:
        repository.requester.requestJsonAndCheck("POST", url, input={field: [name]})
    except GitHubError as error:
        if error.status not in {HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.NOT_FOUND}:
            raise
        return False
    return True


def mentioning(pulls: Iterable[RemotePull], mentions: Sequence[str]) -> list[RemotePull]:
    """Return the pull requests whose title, body or branch names one of the mentions as a whole word."""
    return [
        pull for pull in pulls if names_one(f"{pull.title}\n{pull.body or ''}\n{pull.head.ref}", mentions)
    ]


def names_one(text: str, mentions: Sequence[str]) -> bool:
    """Whether a text names one of the mentions as a whole word, in any case. Pure."""
    if not mentions:
        return False
    names = "|".join(re.escape(mention) for mention in mentions)
    return re.search(rf"(?<![\w-])(?:{names})(?![\w-])", text, re.IGNORECASE) is not None
