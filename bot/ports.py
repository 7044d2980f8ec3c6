"""What the durable jobs need from the outside; ``bot/app.py`` joins the ports to their adapters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from agent.config import RunConfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from agent.domain.report import Report
    from agent.domain.run import Depth, RunResult
    from agent.ports import Observer
    from bot.github.policies import HouseRules
    from handlers.intents import Repository, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """An exported tree without history, and the bare mirror it came from (never shown to a sandbox)."""

    tree: Path
    mirror: Path
    branch: str
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request as far as the jobs care."""

    number: int
    url: str
    head_ref: str
    head_sha: str
    state: str
    author_login: str
    draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """All that a publication needs. ``key`` (the run id) makes every write findable again."""

    key: str
    repository: Repository
    subject: Subject
    base_branch: str
    base_sha: str
    branch: str
    title: str
    body: str
    changes: Mapping[str, bytes | None]
    labels: Sequence[str] = ()
    reviewers: Sequence[str] = ()
    draft: bool = True
    sign_off: bool = False
    expected_head: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


class GitHub(Protocol):
    """GitHub for one App. Every write is idempotent: it is looked up by marker, branch or external id first.

    Errors are ``bot.errors.GitHubError`` with ``retryable`` and ``status``; a 404 or 410 of the repository
    itself is ``RepositoryGoneError``. Calls run in a worker thread or loop of the adapter's own; each has a
    time limit.
    """

    async def permission(self, repository: Repository, login: str) -> str:
        """Return ``admin``, ``maintain``, ``write``, ``triage``, ``read`` or ``none`` for a user."""
        ...

    async def read_file(self, repository: Repository, path: str, ref: str = "") -> bytes | None:
        """Return a file of the default branch (or ``ref``), None when there is none."""
        ...

    async def report(self, repository: Repository, subject: Subject) -> Report:
        """Fetch and normalise the issue, advisory or alert behind a subject."""
        ...

    async def is_open(self, repository: Repository, subject: Subject) -> bool:
        """Return whether the issue, advisory or alert is still open; False when it was deleted."""
        ...

    async def remarks(self, repository: Repository, number: int, review: int) -> str:
        """Return a review's comments on lines, one ``path:line: text`` each, bounded and not trusted."""
        ...

    async def failed_checks(self, repository: Repository, head_sha: str) -> str:
        """Return what the failed checks of a commit say, bounded and not trusted."""
        ...

    async def react(self, repository: Repository, subject: Subject, reaction: str) -> None:
        """Put a reaction on the comment or issue (``eyes``, ``rocket``, ``confused``)."""
        ...

    async def sticky_comment(self, repository: Repository, number: int, key: str, body: str) -> int:
        """Create or edit the one comment that carries ``key`` as hidden marker; return its id."""
        ...

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
        """Create or update the check run with external id ``key``; actions are (label, description, id)."""
        ...

    async def publish(self, publication: Publication) -> PullRequest:
        """Commit through the Git data API, then find or open the draft pull request."""
        ...

    async def pull_request(self, repository: Repository, number: int) -> PullRequest:
        """Return one pull request."""
        ...

    async def open_pull_requests(self, repository: Repository, mentions: Sequence[str]) -> list[PullRequest]:
        """Return open pull requests whose title, body or branch names one of ``mentions``."""
        ...

    async def add_labels(self, repository: Repository, number: int, labels: Sequence[str]) -> None:
        """Add labels to an issue or pull request."""
        ...

    async def refresh(self, repository: Repository) -> Repository:
        """Return the repository as it is now (default branch, archived, renamed)."""
        ...

    async def house_rules(self, repository: Repository) -> HouseRules:
        """Return what the repository asks of those who open pull requests."""
        ...

    async def failed_deliveries(self, since_seconds: float) -> list[int]:
        """Return ids of hook deliveries that did not arrive within the window, oldest first."""
        ...

    async def redeliver(self, delivery: int) -> None:
        """Ask GitHub to send a delivery again."""
        ...


class Checkouts(Protocol):
    """Bare mirrors, and trees exported from them."""

    async def export(self, repository: Repository, branch: str = "", sha: str = "") -> Checkout:
        """Fetch the mirror with a short-lived token and export one commit without history."""
        ...

    async def release(self, checkout: Checkout) -> None:
        """Remove an exported tree."""
        ...

    async def drop(self, repository: Repository) -> None:
        """Remove mirror, index and trees of a repository."""
        ...


class Indexer(Protocol):
    """What is kept ready per repository so that a run starts fast; safe to lose at any time."""

    async def update(self, repository: Repository, checkout: Checkout) -> None:
        """Bring the index of a branch up to date with a checkout."""
        ...

    async def drop(self, repository: Repository) -> None:
        """Remove the index of a repository."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRequest:
    """What the engine is asked to do; ``feedback`` and ``previous`` are set when a patch is refined.

    ``config`` is the repository's, within the operator's bounds; ``observer`` is told how the run goes.
    """

    run_id: str
    report: Report
    checkout: Checkout
    out: Path
    depth: Depth
    model: str = ""
    config: RunConfig = field(default_factory=RunConfig)
    feedback: str = ""
    previous: RunResult | None = None
    observer: Observer | None = None


class RepairEngine(Protocol):
    """Suture's repair workflow, or a scripted one in tests. Writes its files to ``request.out``."""

    async def repair(self, request: RepairRequest) -> RunResult:
        """Run the stages; never raises for an expected ending, cancelling the task stops it at once."""
        ...
