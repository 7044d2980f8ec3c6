"""Why a run is not started: each reason is a value with one line for the person who asked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.report import Visibility
from agent.domain.run import Outcome
from bot.jobs.configuring import is_ours
from bot.store.reports import ADVISORY_ID, flaw_keys

if TYPE_CHECKING:
    from agent.domain.report import Report
    from bot.jobs.services import Services
    from bot.repo_config import RepoConfig
    from bot.store.runs import Run
    from handlers.intents import Repository, StartRun, Subject

HOUR = 3600.0
ANSWERED = frozenset({Outcome.FIXED.value, Outcome.ALREADY_FIXED.value, Outcome.UNPROVEN.value})
OURS = "suture/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why there is no new run; ``url`` is where the flaw is being fixed already."""

    reason: str
    url: str = ""
    linked_run_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked for, with the subject of the report itself, which a pull request or button only names."""

    intent: StartRun
    subject: Subject
    report: Report
    key: str


def own_reasons(services: Services, asked: Asked, config: RepoConfig, now: float) -> Refusal | None:
    """Return the first reason found in our own tables."""
    repository = asked.intent.repository
    if not (config.enabled and services.operator.enabled):
        return Refusal(reason="Suture is switched off here.")
    if repository.archived:
        return Refusal(reason="This repository is archived.")
    if not asked.intent.retry:
        same = same_flaw(services, repository.id, asked.subject.key, asked.report)
        if known := _open_pull(services, asked) or same:
            return known
    if services.store.runs.count_since(repository.id, now - HOUR) >= services.operator.runs_per_hour:
        return Refusal(reason="Too many runs were started here in the last hour; try again later.")
    if services.store.pulls.count_open(repository.id) >= config.limits.open_pull_requests:
        return Refusal(
            reason=f"{config.limits.open_pull_requests} pull requests of Suture are open here, which is the limit."
        )
    return None


async def rival(
    services: Services, repository: Repository, report: Report, number: int | None
) -> Refusal | None:
    """Return the open pull request of somebody else that names this report, if there is one."""
    found = await services.github.open_pull_requests(repository, mentions(report, number))
    for pull in found:
        if not pull.head_ref.startswith(OURS) and not is_ours(services, pull.author_login):
            return Refusal(reason="An open pull request already speaks of this report.", url=pull.url)
    return None


def mentions(report: Report, number: int | None) -> tuple[str, ...]:
    """Return the words by which a pull request names this report: advisory ids, and the issue. Pure."""
    named = " ".join((report.id, report.title, *report.aliases))
    ids = {match.group().upper() for match in ADVISORY_ID.finditer(named)}
    issue = [f"#{number}"] if number else []
    return (*sorted(ids), *issue)


def _open_pull(services: Services, asked: Asked) -> Refusal | None:
    for pull in services.store.pulls.of_subject(asked.intent.repository.id, asked.subject.key):
        if pull.state == "open":
            run = services.store.runs.get(pull.run_id)
            return Refusal(
                reason="A pull request for this report is open already.", url=run.pull_url if run else ""
            )
    return None


def same_flaw(
    services: Services, repository_id: int, subject_key: str, report: Report, before: float = math.inf
) -> Refusal | None:
    """Return the run of an earlier report of the same flaw, asked for before a time.

    Never a private run for a public report: that would tell.
    """
    ids = services.store.reports.same_flaw(repository_id, flaw_keys(report))
    for run in services.store.runs.of_reports(ids):
        if run.subject_key == subject_key or run.linked_run_id or run.created_at >= before:
            continue
        if run.private and report.visibility is Visibility.PUBLIC:
            continue
        if run.active or run.outcome in ANSWERED:
            return Refusal(reason=_linked_words(run), url=run.pull_url, linked_run_id=run.id)
    return None


def _linked_words(run: Run) -> str:
    return f"This is the same flaw as in {run.subject_key}, which run {run.id[:8]} answers."
