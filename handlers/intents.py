"""What an event asks for, as data: each intent names who asked and the permission that needs.

Handlers return intents; ``bot/jobs`` checks the permission, then acts. Nothing here does any I/O.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.domain.report import Report


class Permission(StrEnum):
    """What the actor must hold, asked of the collaborators API.

    ``SYSTEM`` asks nothing: an event of GitHub itself, or a bot whose id the configuration lists.
    """

    SYSTEM = "system"
    TRIAGE = "triage"
    WRITE = "write"
    ADMIN = "admin"


class ReportKind(StrEnum):
    """Where a report came from; decides where answers may go. ``RUN``: a button, the key is the run's id."""

    ISSUE = "issue"
    REPOSITORY_ADVISORY = "repository_advisory"
    SECURITY_ADVISORY = "security_advisory"
    DEPENDABOT_ALERT = "dependabot_alert"
    CODE_SCANNING_ALERT = "code_scanning_alert"
    PULL_REQUEST = "pull_request"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who caused the event; ``is_bot`` also for logins that end in ``[bot]``."""

    id: int
    login: str
    is_bot: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The repository an event speaks of; ``id`` survives renames and transfers.

    ``installation_id`` 0: the delivery did not say; look it up before anything is written.
    """

    id: int
    full_name: str
    installation_id: int
    default_branch: str = ""
    private: bool = False
    archived: bool = False
    fork: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What the report hangs on: ``key`` is unique in the repository.

    Keys: ``issue-12``, ``pull-12``, ``GHSA-…``, ``dependabot-3``, ``code-scanning-3``, or a run's id.
    ``number`` is the issue or pull request that public answers go to; None means there is no public place.
    ``comment_id`` is the comment that asked; a comment on a diff is named by ``review_comment_id`` instead.
    """

    kind: ReportKind
    key: str
    number: int | None = None
    comment_id: int | None = None
    review_comment_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """Base of all intents."""

    repository: Repository
    actor: Actor
    requires: Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRun(Intent):
    """Run on a report. ``report`` None: it must be fetched first (an alert, an issue behind a command)."""

    subject: Subject
    report: Report | None = None
    command: str = ""
    model: str = ""
    depth: str = ""
    retry: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineRun(Intent):
    """Improve the patch of a pull request that Suture opened, from words or from a failed check.

    ``cause``: ``command``, ``review``, ``check_run`` or ``check_suite``. ``pull_number`` 0: the open pull
    request of ``subject``. A review's own comments are fetched by ``review_id``. Several checks may fail on
    one ``head_sha``: they ask for one refinement, not many. ``feedback`` is normalised, and still not trusted.
    """

    pull_number: int
    feedback: str
    cause: str
    head_sha: str = ""
    subject: Subject | None = None
    review_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRun(Intent):
    """Stop the run of a subject."""

    subject: Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveRun(Intent):
    """Publish a result that waits for a human."""

    subject: Subject
    run_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Intent):
    """A command that only answers: ``status``, ``explain``, ``help``, ``trace``, ``backport``, ``attack``."""

    subject: Subject
    command: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectCommand(Intent):
    """A line that begins with ``/patch`` but cannot be understood; ``reason`` is shown in one line."""

    subject: Subject
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFeedback(Intent):
    """What people did to a pull request of ours: ``merged``, ``closed``, ``reopened``, ``human_commit``."""

    pull_number: int
    what: str
    head_sha: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindex(Intent):
    """A branch moved: bring mirror and index up to date."""

    branch: str
    head_sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckConfig(Intent):
    """The repository configuration changed on the default branch."""

    head_sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationChange:
    """Installed, removed, suspended, or its repositories changed; needs no permission, GitHub says it.

    ``what``: ``created``, ``deleted``, ``suspend``, ``unsuspend``, ``new_permissions_accepted``, ``added``,
    ``removed``.
    """

    installation_id: int
    account: str
    what: str
    added: tuple[Repository, ...] = ()
    removed: tuple[Repository, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisoryBroadcast:
    """A global advisory: concerns the installed repositories whose own package it names."""

    report: Report
    packages: tuple[tuple[str, str], ...]
    action: str


AnyIntent = (
    StartRun
    | RefineRun
    | CancelRun
    | ApproveRun
    | Ask
    | RejectCommand
    | RecordFeedback
    | Reindex
    | CheckConfig
    | InstallationChange
    | AdvisoryBroadcast
)
