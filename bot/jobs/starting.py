"""From a report to a queued run, or to a reason why there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from agent.domain.report import Report, Visibility
from bot.jobs import configuring, gates, wording
from bot.jobs.journal import StepFailedError
from bot.jobs.names import PRIORITIES, branch_name, run_id, run_job
from bot.jobs.services import in_thread
from bot.jobs.subjects import matter_of
from bot.jobs.voice import Voice
from bot.repo_config import DEFAULTS
from bot.store.codec import decode, encode
from bot.store.runs import Run, RunKind, RunState

if TYPE_CHECKING:
    from bot.jobs.gates import Refusal
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from bot.repo_config import RepoConfig
    from bot.store.pulls import Pull
    from handlers.intents import StartRun, Subject

log = structlog.get_logger(__name__)


async def start(journal: Journal, services: Services, intent: StartRun, key: str) -> None:
    """Queue a run, or say in one line why not; a private report is queued without a word."""
    matter = await matter_of(services, intent.repository, intent.subject)
    hint = matter.private or (intent.report is not None and intent.report.visibility is Visibility.PRIVATE)
    voice = Voice(services=services, repository=intent.repository, subject=intent.subject, silent=hint)
    await voice.react(journal, "eyes")
    try:
        found = await journal.step("report", lambda: _report(services, intent, matter.subject))
    except StepFailedError as error:
        await voice.react(journal, "confused")
        await voice.say(journal, f"answer-{key}", wording.cannot_read(str(error)))
        raise
    report = decode(Report, found)
    asked = gates.Asked(intent=intent, subject=matter.subject, report=report, key=key)
    voice = replace(voice, silent=hint or report.visibility is Visibility.PRIVATE)
    refusal = await _refusal(journal, services, asked)
    if refusal is None:
        await _queue(journal, services, asked, voice)
        return
    await _link(journal, services, asked, refusal)
    await voice.react(journal, "confused" if not refusal.linked_run_id else "rocket")
    await voice.say(journal, f"answer-{key}", wording.not_started(refusal.reason, refusal.url))


async def _report(services: Services, intent: StartRun, subject: Subject) -> object:
    """Return the report: from the event, from an earlier run on it, or from GitHub."""
    if intent.report is not None:
        return encode(intent.report)
    if subject.key != intent.subject.key:
        runs = await in_thread(services.store.runs.of_subject, intent.repository.id, subject.key)
        for run in runs:
            if known := await in_thread(services.store.reports.get, run.report_id):
                return encode(known)
    return encode(await services.github.report(intent.repository, subject))


async def _refusal(journal: Journal, services: Services, asked: gates.Asked) -> Refusal | None:
    """Ask our own tables first, GitHub's open pull requests last."""

    async def look() -> object:
        config = await configuring.config_of(services, asked.intent.repository)
        return encode(await in_thread(gates.own_reasons, services, asked, config, services.now()))

    found = await journal.step("gates", look)
    if found is not None:
        return decode(gates.Refusal, found)
    if asked.intent.retry or asked.report.visibility is Visibility.PRIVATE:
        return None  # a private report's ids appear in no request that leaves

    async def search() -> object:
        return encode(
            await gates.rival(services, asked.intent.repository, asked.report, asked.subject.number)
        )

    found = await journal.step("rivals", search)
    return None if found is None else decode(gates.Refusal, found)


async def _queue(journal: Journal, services: Services, asked: gates.Asked, voice: Voice) -> None:
    async def open_run() -> list[str]:
        config = await configuring.config_of(services, asked.intent.repository)
        return await in_thread(_open, services, asked, config)

    standing, mine = await journal.step("queue", open_run)
    if standing == mine:
        log.info("run_queued", run_id=mine, repository_id=asked.intent.repository.id)
        await voice.react(journal, "rocket")
        await voice.say(journal, asked.subject.key, wording.queued(mine))
        return
    if not asked.intent.command:
        return  # GitHub tells of one label in two events; nobody asked twice
    await voice.react(journal, "confused")
    await voice.say(journal, f"answer-{asked.key}", wording.busy(standing))


def _open(services: Services, asked: gates.Asked, config: RepoConfig) -> list[str]:
    """Insert report and run and enqueue its job; return the run that stands and the one that was meant."""
    intent, store, now = asked.intent, services.store, services.now()
    mine = run_id(asked.key, intent.repository.id, asked.subject.key)
    earlier = [
        run for run in store.runs.of_subject(intent.repository.id, asked.subject.key) if run.id != mine
    ]
    if intent.retry:
        for run in earlier:  # a result that still waits for a person gives way to the new attempt
            store.runs.change(run.id, {RunState.WAITING}, state=RunState.FINISHED, finished_at=now)
    pulls = store.pulls.of_subject(intent.repository.id, asked.subject.key)
    run = _row(asked, config, mine, len(earlier) + 1, next((p for p in pulls if p.state == "open"), None))
    store.reports.save(mine, intent.repository.id, asked.subject.key, asked.report, now)
    standing = store.runs.open(
        replace(run, created_at=now), lambda connection: services.queues.enqueue(connection, run_job(run))
    )
    if standing.id == mine:
        store.runs.note(mine, now, "queued", f"asked by {intent.actor.login}")
    return [standing.id, mine]


def _row(asked: gates.Asked, config: RepoConfig, mine: str, number: int, pull: Pull | None) -> Run:
    intent = asked.intent
    run = Run(
        id=mine,
        repository_id=intent.repository.id,
        installation_id=intent.repository.installation_id,
        report_id=mine,
        subject=json.dumps(encode(asked.subject)),
        subject_key=asked.subject.key,
        kind=RunKind.FIX,
        cause=intent.command or "event",
        visibility=asked.report.visibility.value,
        priority=PRIORITIES[asked.report.severity],
        depth=intent.depth or config.models.depth.value,
        model=intent.model or config.models.author,
        requested_by=intent.actor.login,
        branch=branch_name(asked.subject.key, number),
    )
    if pull is None:
        return run
    return replace(
        run,
        branch=pull.branch,
        pull_number=pull.number,
        expected_head=pull.head_sha,
        parent_id=pull.run_id,
    )


async def _link(journal: Journal, services: Services, asked: gates.Asked, refusal: Refusal) -> None:
    """Keep a second report of a known flaw as a finished run that points to the first."""
    if not refusal.linked_run_id:
        return
    mine = run_id(asked.key, asked.intent.repository.id, asked.subject.key)

    def keep() -> None:
        now = services.now()
        row = _row(asked, DEFAULTS, mine, 1, None)
        services.store.reports.save(mine, asked.intent.repository.id, asked.subject.key, asked.report, now)
        linked = replace(
            row,
            state=RunState.FINISHED,
            active=False,
            outcome="linked",
            reason=refusal.reason,
            linked_run_id=refusal.linked_run_id,
            created_at=now,
            finished_at=now,
        )
        services.store.runs.open(linked, lambda _connection: None)

    async def link() -> None:
        await in_thread(keep)

    await journal.step("link", link)
