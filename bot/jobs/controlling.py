"""Stopping a run, and approving one that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from agent.domain.run import Outcome
from bot.jobs import wording
from bot.jobs.names import job_ids, publish_job
from bot.jobs.services import in_thread
from bot.jobs.subjects import matter_of, voice_for
from bot.store.runs import UNFINISHED, RunState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.jobs.journal import Journal
    from bot.jobs.services import JobQueues, Services
    from bot.store.runs import Run
    from bot.store.store import Store
    from handlers.intents import ApproveRun, CancelRun

log = structlog.get_logger(__name__)


async def stop(journal: Journal, services: Services, intent: CancelRun, key: str) -> None:
    """Stop the run of a subject wherever it is; its row first, so that nothing it still does counts."""
    matter = await matter_of(services, intent.repository, intent.subject)
    voice = voice_for(services, intent.repository, intent.subject, matter)
    await voice.react(journal, "eyes")

    async def cancel() -> bool:
        runs = await in_thread(services.store.runs.of_subject, intent.repository.id, matter.subject.key)
        active = [run for run in runs if run.active]
        await cancel_runs(services, active, f"stopped by {intent.actor.login}")
        return bool(active)

    if await journal.step("stop", cancel):
        await voice.react(journal, "rocket")
        await voice.say(journal, matter.subject.key, wording.stopped(intent.actor.login))
        return
    await voice.react(journal, "confused")
    await voice.say(journal, f"answer-{key}", wording.nothing("No run is on here."))


async def cancel_runs(services: Services, runs: Sequence[Run], reason: str) -> None:
    """End runs now: no state, no write of theirs counts any more."""
    for run in runs:
        changed = await in_thread(
            services.store.runs.change,
            run.id,
            UNFINISHED,
            state=RunState.FINISHED,
            outcome=Outcome.CANCELLED.value,
            reason=reason,
            finished_at=services.now(),
        )
        await services.queues.cancel(job_ids(run.id))
        if changed:
            services.metrics.runs.labels(outcome=Outcome.CANCELLED.value).inc()
            await in_thread(services.store.runs.note, run.id, services.now(), "stopped", reason)


async def approve(journal: Journal, services: Services, intent: ApproveRun, key: str) -> None:
    """Publish a result that waits; who approved is kept in its row."""
    matter = await matter_of(services, intent.repository, intent.subject)
    voice = voice_for(services, intent.repository, intent.subject, matter)
    await voice.react(journal, "eyes")
    wanted = intent.run_id or (matter.run.id if matter.run else "")

    async def hand_on() -> bool:
        run = await in_thread(services.store.runs.get, wanted)
        if run is None or run.repository_id != intent.repository.id:
            return False
        if run.approved_by:
            return True  # this very step, before a crash
        return await in_thread(approve_run, services.store, services.queues, wanted, intent.actor.login)

    if await journal.step("approve", hand_on):
        await voice.react(journal, "rocket")
        return
    await voice.react(journal, "confused")
    await voice.say(journal, f"answer-{key}", wording.nothing("No result waits for approval here."))


def approve_run(store: Store, queues: JobQueues, run_id: str, who: str) -> bool:
    """Hand a waiting result to the publishing workflow; False when it does not wait."""
    return store.runs.hand_on(
        run_id,
        {RunState.WAITING},
        lambda connection: queues.enqueue(connection, publish_job(run_id, approved=True)),
        state=RunState.PUBLISHING,
        approved_by=who,
    )
