"""Improving a pull request of ours: from a review, a command or a failed check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import structlog

from agent.untrusted import clean
from bot.errors import GitHubError, RepositoryGoneError
from bot.jobs import configuring, wording
from bot.jobs.names import NEEDS_HUMAN, run_id, run_job
from bot.jobs.recording import feedback_of
from bot.jobs.services import in_thread
from bot.jobs.voice import Voice
from bot.store.codec import decode, encode
from bot.store.runs import Run, RunKind, RunState
from handlers import subjects
from handlers.intents import Permission, RecordFeedback

if TYPE_CHECKING:
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from bot.ports import PullRequest
    from bot.store.pulls import Pull
    from handlers.intents import RefineRun

CHECKS = frozenset({"check_run", "check_suite"})
ASKED = "command"
LONGEST_FEEDBACK = 20_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a request to refine: a run, or words (none for what nobody asked)."""

    run_id: str = ""
    standing: str = ""
    words: str = ""
    needs_human: bool = False
    number: int = 0


async def refine(journal: Journal, services: Services, intent: RefineRun, key: str) -> None:
    """Queue a refinement, unless the pull request is closed, somebody else's, or was refined enough."""
    asked = intent.cause == ASKED

    async def queue() -> Any:
        return encode(await _queue(services, intent, key))

    answer = decode(Answer, await journal.step("refine", queue))
    place = intent.subject or subjects.pull(answer.number or intent.pull_number)
    run = await in_thread(services.store.runs.get, answer.run_id or answer.standing)
    silent = run is not None and run.private and not run.approved_by
    voice = Voice(services=services, repository=intent.repository, subject=place, silent=silent)
    if answer.needs_human:
        await voice.label(journal, answer.number, (NEEDS_HUMAN,))
        await voice.say(journal, NEEDS_HUMAN, answer.words)
        return
    if answer.run_id:
        log.info("refinement_queued", run_id=answer.run_id, cause=intent.cause)
        await voice.react(journal, "rocket")
    elif asked and answer.words:
        await voice.react(journal, "confused")
        await voice.say(journal, f"answer-{key}", answer.words)


async def _queue(services: Services, intent: RefineRun, key: str) -> Answer:
    pull = await in_thread(_pull, services, intent)
    if pull is None:
        return Answer(words=wording.nothing("There is no open pull request of Suture here."))
    live = await services.github.pull_request(intent.repository, pull.number)
    reason = _reason(intent, pull, live)
    if reason is not None:
        return Answer(words=reason, number=pull.number)
    intent = replace(intent, feedback=await _feedback(services, intent, live))
    config = await configuring.config_of(services, intent.repository)
    return await in_thread(_open, services, intent, pull, live, config.limits.ci_refinements, key)


async def _feedback(services: Services, intent: RefineRun, live: PullRequest) -> str:
    """Return what was said, with the review's remarks on lines or what the failed checks told."""
    told = ""
    try:
        if intent.review_id is not None:
            told = await services.github.remarks(intent.repository, live.number, intent.review_id)
        elif intent.cause in CHECKS:
            told = await services.github.failed_checks(intent.repository, live.head_sha)
    except GitHubError as error:
        if error.retryable or isinstance(error, RepositoryGoneError):
            raise
        log.warning("feedback_not_read", pull_number=live.number, status=error.status)
    return "\n\n".join(part for part in (intent.feedback, clean(told).text.strip()) if part)[
        :LONGEST_FEEDBACK
    ]


def _pull(services: Services, intent: RefineRun) -> Pull | None:
    """Return the pull request that is meant; None for one that is not ours."""
    store = services.store.pulls
    if intent.pull_number:
        return store.get(intent.repository.id, intent.pull_number)
    key = intent.subject.key if intent.subject else ""
    return next((p for p in store.of_subject(intent.repository.id, key) if p.state == "open"), None)


def _reason(intent: RefineRun, pull: Pull, live: PullRequest) -> str | None:
    """Return why not, in words for one who asked; nobody's commits are ever written over. Pure."""
    if live.state != "open":
        return wording.nothing("The pull request is closed.")
    if intent.cause == ASKED:
        return None
    if pull.handed_over or live.head_sha != pull.head_sha:
        return wording.handed_over()
    if intent.head_sha and intent.cause in CHECKS and intent.head_sha != live.head_sha:
        return wording.nothing("The check speaks of an older commit.")
    return None


def _open(
    services: Services, intent: RefineRun, pull: Pull, live: PullRequest, limit: int, key: str
) -> Answer:
    by_check = intent.cause in CHECKS
    parent = services.store.runs.get(pull.run_id)
    if parent is None:
        return Answer(words=wording.nothing("The run behind this is not known any more."), number=pull.number)
    cause = (live.head_sha, "checks") if by_check else (key,)
    mine = run_id("refine", intent.repository.id, pull.number, *cause)
    earlier = services.store.runs.of_pull(intent.repository.id, pull.number)
    tried = [run for run in earlier if run.kind is RunKind.REFINE and run.cause in CHECKS and run.id != mine]
    if by_check and len(tried) >= limit:
        return Answer(words=wording.needs_human(limit), needs_human=True, number=pull.number)
    run = _row(services, intent, parent, pull, live, mine)
    standing = services.store.runs.open(
        run, lambda connection: services.queues.enqueue(connection, run_job(run))
    )
    services.store.pulls.record(feedback_of(services, parent.id, key, _as_feedback(intent, pull.number)))
    if standing.id != mine:
        return Answer(standing=standing.id, words=wording.busy(standing.id), number=pull.number)
    return Answer(run_id=mine, number=pull.number)


def _row(services: Services, intent: RefineRun, parent: Run, pull: Pull, live: PullRequest, mine: str) -> Run:
    """Return the refining run; on top of people's commits when they are there and somebody asked for it."""
    theirs = live.head_sha != pull.head_sha
    return replace(
        parent,
        id=mine,
        kind=RunKind.REFINE,
        cause=intent.cause,
        state=RunState.QUEUED,
        active=True,
        outcome="",
        reason="",
        requested_by=intent.actor.login,
        feedback=intent.feedback,
        parent_id=parent.id,
        base_branch=live.head_ref if theirs else parent.base_branch,
        base_sha=live.head_sha if theirs else parent.base_sha,
        branch=live.head_ref,
        pull_number=pull.number,
        pull_url=live.url,
        expected_head=live.head_sha,
        head_sha="",
        result_digest="",
        attempts=0,
        money=0.0,
        tokens=0,
        created_at=services.now(),
        started_at=0.0,
        finished_at=0.0,
    )


def _as_feedback(intent: RefineRun, number: int) -> RecordFeedback:
    return RecordFeedback(
        repository=intent.repository,
        actor=intent.actor,
        requires=Permission.SYSTEM,
        pull_number=number,
        what=f"refine_{intent.cause}",
        head_sha=intent.head_sha,
        detail=intent.feedback[:2000],
    )
