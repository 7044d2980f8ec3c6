"""The ``GitHub`` port over REST: what each method asks, with which grant, and how it is found again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bot.github import deliveries, pulls
from bot.github.calls import Calls
from bot.github.checks import CheckState, write_check
from bot.github.comments import write_comment
from bot.github.connection import Connection
from bot.github.contents import read_file
from bot.github.grants import CHECK, DISCUSS, LOOK, PUBLISH, READ
from bot.github.history import PastFix, past_fixes
from bot.github.house import house_rules
from bot.github.places import Places
from bot.github.publish import publish
from bot.github.remarks import failed_checks, review_remarks
from bot.github.reports import as_report, is_open, source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from github.Repository import Repository as RemoteRepository

    from agent.domain.report import Report
    from bot.github.hosts import GitHubConfig
    from bot.github.pacing import RateBudget
    from bot.github.policies import HouseRules
    from bot.ports import Publication, PullRequest
    from handlers.intents import Repository, Subject

ROLES = ("admin", "maintain", "write", "triage", "read", "none")
LEGACY = {"push": "write", "pull": "read"}  # what GitHub Enterprise Server of old says


class GitHubApp:
    """One App on one GitHub. Safe to share; writes to one repository are made one after another."""

    def __init__(self, config: GitHubConfig) -> None:
        self.connection = Connection(config)
        self.calls = Calls(self.connection)
        self._places = Places()

    def budgets(self) -> Iterator[tuple[int, RateBudget]]:
        """Yield each installation's rate budget, for the metrics."""
        return self.connection.budgets()

    def close(self) -> None:
        """Start nothing more."""
        self.calls.close()

    async def permission(self, repository: Repository, login: str) -> str:
        """Return the user's role; ``none`` for somebody GitHub does not know."""
        answer = await self.calls.optional(
            repository,
            LOOK,
            lambda remote: _get(remote, f"/collaborators/{quote(login, safe='')}/permission"),
        )
        if answer is None:
            return "none"
        # A custom role is told by the role it is built on, which is what ``permission`` says.
        names = (answer.get("role_name", ""), answer.get("permission", ""))
        return next((role for name in names if (role := LEGACY.get(name, name)) in ROLES), "none")

    async def read_file(self, repository: Repository, path: str, ref: str = "") -> bytes | None:
        """Return a file's bytes, None when there is none (or it is no file)."""
        return await self.calls.optional(repository, LOOK, lambda remote: read_file(remote, path, ref))

    async def report(self, repository: Repository, subject: Subject) -> Report:
        """Fetch and normalise the report behind a subject."""
        grant, path = source(subject)
        record = await self.calls.on(repository, grant, lambda remote: _get(remote, path))
        return as_report(subject, record)

    async def is_open(self, repository: Repository, subject: Subject) -> bool:
        """Return whether what was reported still waits for an answer; what was deleted does not."""
        grant, path = source(subject)
        record = await self.calls.optional(repository, grant, lambda remote: _get(remote, path))
        return record is not None and is_open(subject, record)

    async def remarks(self, repository: Repository, number: int, review: int) -> str:
        """Return the comments of a review on lines."""
        found = await self.calls.optional(
            repository, READ, lambda remote: review_remarks(remote, number, review)
        )
        return found or ""

    async def failed_checks(self, repository: Repository, head_sha: str) -> str:
        """Return what failed checks say."""
        own = self.connection.slug()
        found = await self.calls.optional(
            repository, CHECK, lambda remote: failed_checks(remote, head_sha, own=own)
        )
        return found or ""

    async def react(self, repository: Repository, subject: Subject, reaction: str) -> None:
        """React to the comment or the issue; where it was deleted meanwhile there is nothing to do."""
        await self.calls.optional(repository, DISCUSS, lambda remote: _react(remote, subject, reaction))

    async def sticky_comment(self, repository: Repository, number: int, key: str, body: str) -> int:
        """Create or edit the one comment of a key."""
        async with self._places.writing("comment", repository.id, number, key) as written:
            known = written.id
            written.id = await self.calls.on(
                repository,
                DISCUSS,
                lambda remote: write_comment(
                    remote, number, key, body, author=f"{self.connection.slug()}[bot]", known=known
                ),
            )
            return written.id

    async def check(
        self,
        repository: Repository,
        head_sha: str,
        key: str,
        *,
        status: str,
        conclusion: str = "",
        title: str = "",
        summary: str = "",
        actions: Sequence[tuple[str, str, str]] = (),
    ) -> int:
        """Create or update the one check run of a key on a commit."""
        state = CheckState(
            key=key,
            head_sha=head_sha,
            status=status,
            conclusion=conclusion,
            title=title,
            summary=summary,
            actions=actions,
        )
        async with self._places.writing("check", repository.id, head_sha, key) as written:
            known = written.id
            written.id = await self.calls.on(
                repository, CHECK, lambda remote: write_check(remote, state, known=known)
            )
            return written.id

    async def publish(self, publication: Publication) -> PullRequest:
        """Commit, point the branch, find or open the pull request."""
        async with self._places.writing("publish", publication.repository.id):
            return await self.calls.on(
                publication.repository,
                PUBLISH,
                lambda remote: publish(remote, publication, lambda: self._identity(remote)),
            )

    async def pull_request(self, repository: Repository, number: int) -> PullRequest:
        """Return one pull request."""
        return await self.calls.on(
            repository, READ, lambda remote: pulls.as_pull(remote.get_pull(number).complete())
        )

    async def open_pull_requests(self, repository: Repository, mentions: Sequence[str]) -> list[PullRequest]:
        """Return open pull requests that name one of the mentions, of the latest thousand."""

        def search(remote: RemoteRepository) -> list[PullRequest]:
            latest = islice(remote.get_pulls(state="open", sort="updated", direction="desc"), pulls.SEARCHED)
            return [pulls.as_pull(pull) for pull in pulls.mentioning(latest, mentions)]

        return await self.calls.on(repository, READ, search)

    async def add_labels(self, repository: Repository, number: int, labels: Sequence[str]) -> None:
        """Add labels."""
        await self.calls.on(repository, DISCUSS, lambda remote: pulls.add_labels(remote, number, labels))

    async def refresh(self, repository: Repository) -> Repository:
        """Return the repository as it is now."""
        self.calls.forget(repository)
        now = await self.calls.on(repository, LOOK, lambda remote: _get(remote, ""))
        return replace(
            repository,
            full_name=now["full_name"],
            default_branch=now["default_branch"],
            private=now["private"],
            archived=now.get("archived", False),
            fork=now["fork"],
        )

    async def house_rules(self, repository: Repository) -> HouseRules:
        """Return what the repository asks of contributors; beyond the port."""
        return await self.calls.on(repository, LOOK, house_rules)

    async def past_fixes(self, repository: Repository, issues: int = 2000) -> list[PastFix]:
        """Return the fixes of closed issues, newest first; beyond the port."""
        return await self.calls.on(repository, READ, lambda remote: past_fixes(remote, issues=issues))

    async def failed_deliveries(self, since_seconds: float) -> list[int]:
        """Return one id for each lost delivery of the window."""
        start = deliveries.since(since_seconds, datetime.now(UTC))
        return await self.calls.run(lambda: deliveries.failed(self.connection.app, start))

    async def redeliver(self, delivery: int) -> None:
        """Ask for another attempt."""
        await self.calls.run(lambda: deliveries.redeliver(self.connection.app, delivery))

    def _identity(self, remote: RemoteRepository) -> str:
        """Return name and address of the App's own user, as GitHub attributes its commits."""
        name = f"{self.connection.slug()}[bot]"
        _, user = remote.requester.requestJsonAndCheck("GET", f"/users/{quote(name, safe='')}")
        return f"{name} <{user['id']}+{name}@users.noreply.{self.connection.config.web_host}>"


def _get(remote: RemoteRepository, path: str) -> dict[str, Any]:
    _, found = remote.requester.requestJsonAndCheck("GET", f"{remote.url}{path}")
    return dict(found)


def _react(remote: RemoteRepository, subject: Subject, reaction: str) -> None:
    if subject.review_comment_id is not None:
        place = f"/pulls/comments/{subject.review_comment_id}"
    elif subject.comment_id is not None:
        place = f"/issues/comments/{subject.comment_id}"
    elif subject.number is not None:
        place = f"/issues/{subject.number}"
    else:
        return
    url = f"{remote.url}{place}/reactions"
    remote.requester.requestJsonAndCheck("POST", url, input={"content": reaction})
