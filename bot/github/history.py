"""Closed issues with the pull requests that fixed them: what retrieval learns the repository's habits from.

GraphQL, because REST does not tell which pull request closed an issue; a hundred issues take one request.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.errors import GitHubError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from github.Repository import Repository as RemoteRepository

QUERY = """
query PastFixes($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    issues(states: CLOSED, first: 50, after: $after, orderBy: {field: UPDATED_AT, direction: DESC}) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number
        title
        body
        createdAt
        closedByPullRequestsReferences(first: 3, includeClosedPrs: true) {
          nodes { number merged mergedAt mergeCommit { oid } files(first: 100) { nodes { path } } }
        }
      }
    }
  }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastFix:
    """An issue, the files its fix changed, the fix's commit, and when it was merged."""

    issue: int
    title: str
    body: str
    opened_at: datetime
    merged_at: datetime
    commit: str
    paths: tuple[str, ...]


def past_fixes(repository: RemoteRepository, *, issues: int = 2000) -> list[PastFix]:
    """Return the fixes of the latest closed issues (at most so many are looked at), newest first."""
    found: list[PastFix] = []
    for looked_at, issue in enumerate(_issues(repository)):
        if looked_at >= issues:
            break
        found += _fixes(issue)
    return found


def _issues(repository: RemoteRepository) -> Iterator[dict[str, Any]]:
    owner, name = repository.url.split("/")[-2:]
    after: str | None = None
    while True:
        page = _asked(repository, {"owner": owner, "name": name, "after": after})
        yield from page["nodes"]
        if not page["pageInfo"]["hasNextPage"]:
            return
        after = page["pageInfo"]["endCursor"]


def _asked(repository: RemoteRepository, variables: dict[str, str | None]) -> dict[str, Any]:
    requester = repository.requester
    _, answer = requester.requestJsonAndCheck(
        "POST", requester.graphql_url, input={"query": QUERY, "variables": variables}
    )
    if answer.get("errors"):
        kinds = {str(error.get("type", "")) for error in answer["errors"]}
        raise GitHubError(
            f"GraphQL: {', '.join(sorted(kinds)) or 'an error'}",
            status=404 if "NOT_FOUND" in kinds else None,
            retryable="RATE_LIMITED" in kinds,
            retry_after=60.0 if "RATE_LIMITED" in kinds else None,
        )
    return dict(answer["data"]["repository"]["issues"])


def _fixes(issue: dict[str, Any]) -> Iterator[PastFix]:
    for pull in issue["closedByPullRequestsReferences"]["nodes"]:
        files = (pull["files"] or {"nodes": []})["nodes"]
        if pull["merged"] and pull["mergedAt"] and files:
            yield PastFix(
                issue=issue["number"],
                title=issue["title"],
                body=issue["body"],
                opened_at=datetime.fromisoformat(issue["createdAt"]),
                merged_at=datetime.fromisoformat(pull["mergedAt"]),
                commit=(pull["mergeCommit"] or {"oid": ""})["oid"],
                paths=tuple(file["path"] for file in files),
            )
