"""The workflow of one run, in its repository's slot: check out, repair, keep the result, hand it on."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from agent.domain.run import Depth, Outcome
from bot.errors import RunDeclinedError, RunStoppedError
from bot.jobs import configuring, gates, keeping, merging
from bot.jobs.guard import guarded
from bot.jobs.names import publish_job
from bot.jobs.services import in_thread
from bot.jobs.watching import StageWatcher
from bot.ports import RepairRequest
from bot.repo_config import run_config
from bot.store.runs import UNFINISHED, RunKind, RunState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from agent.domain.run import RunResult
    from bot.jobs.journal import Journal, StepFailedError
    from bot.jobs.services import Services
    from bot.ports import Checkout
    from bot.repo_config import RepoConfig
    from bot.store.runs import Run
    from handlers.intents import Repository

MOST_ATTEMPTS = 5
GRACE_SECONDS = 120.0
STARTED = frozenset({RunState.QUEUED, RunState.RUNNING})

log = structlog.get_logger(__name__)


async def execute(journal: Journal, services: Services, run_id: str) -> None:
    """Carry out a run. Every ending is a row with an outcome and a reason."""
    with structlog.contextvars.bound_contextvars(run_id=run_id):
        work = _execute(journal, services, run_id)
        await guarded(work, lambda error: _give_up(journal, services, run_id, error))


async def _execute(journal: Journal, services: Services, run_id: str) -> None:
    attempts = await in_thread(_count_attempt, services, run_id)
    if attempts > MOST_ATTEMPTS:
        raise RunStoppedError(f"it was interrupted {MOST_ATTEMPTS} times, so it may be what ends the process")

    async def begin() -> bool:
        return await in_thread(
            services.store.runs.change,
            run_id,
            STARTED,
            state=RunState.RUNNING,
            started_at=services.now(),
        )

    if not await journal.step("begin", begin):
        return
    minutes = await journal.step("admit", lambda: _admit(services, run_id))
    await journal.step(
        "repair", lambda: _repair(services, run_id, minutes), seconds=minutes * 60 + GRACE_SECONDS
    )
    await _hand_on(journal, services, run_id)


def _count_attempt(services: Services, run_id: str) -> int:
    """Count each start of the workflow, also after a crash; not a step, for steps are not run again."""
    run = services.store.runs.get(run_id)
    attempts = (run.attempts if run else 0) + 1
    services.store.runs.change(run_id, UNFINISHED, attempts=attempts)
    return attempts


async def _admit(services: Services, run_id: str) -> float:
    """Look at the repository as it is now; return the minutes the run may take."""
    run, repository = await _load(services, run_id)
    now = await services.github.refresh(repository)
    await in_thread(services.store.repositories.see, now, services.now())
    if now.archived or not now.default_branch:
        what = "archived" if now.archived else "empty"
        raise RunDeclinedError(f"the repository is {what}")
    config = await configuring.config_of(services, now)
    if not (config.enabled and services.operator.enabled):
        raise RunDeclinedError("Suture was switched off here meanwhile")
    await in_thread(_link, services, run)
    await in_thread(services.store.runs.note, run.id, services.now(), "started", f"on {now.default_branch}")
    return min(config.limits.minutes, float(services.operator.run_minutes))


def _link(services: Services, run: Run) -> None:
    """Decline a run whose flaw another one, asked for at the same moment, answers or is about to answer."""
    report = services.store.reports.get(run.report_id)
    if report is None or run.kind is not RunKind.FIX or run.cause == "retry":
        return
    first = gates.same_flaw(services, run.repository_id, run.subject_key, report, run.created_at)
    if first is not None:
        services.store.runs.change(run.id, UNFINISHED, linked_run_id=first.linked_run_id)
        raise RunDeclinedError(f"{first.reason} {first.url}".strip())


async def _repair(services: Services, run_id: str, minutes: float) -> None:
    """Run the engine on a fresh checkout and keep what it found; run again from the start after a crash."""
    run, repository = await _load(services, run_id)
    config = await configuring.config_of(services, repository)
    async with _checkout(services, run, repository, config.branches.base) as checkout:
        await services.faults.reach("checkout:done")
        watcher = StageWatcher(services=services, repository=repository, run=run)
        request = replace(await in_thread(_request, services, run, config, checkout), observer=watcher)
        try:
            async with asyncio.timeout(minutes * 60):
                result = await services.engine.repair(request)
        except TimeoutError:
            reason = f"not done after {minutes:g} minutes"
            result = keeping.empty_result(run, Outcome.BUDGET_EXHAUSTED, reason)
        finally:
            await watcher.end()
        await services.faults.reach("engine:done")
        replaced = await in_thread(_replaced, services, run)
        result = await in_thread(merging.instead_of, result, replaced, checkout.tree)
        await in_thread(keeping.keep, services, run, checkout, result, request.out)


@asynccontextmanager
async def _checkout(
    services: Services, run: Run, repository: Repository, base: str
) -> AsyncIterator[Checkout]:
    """Export the base branch, or the commit whose people's work must be kept."""
    checkout = await services.checkouts.export(repository, run.base_branch or base, run.base_sha)
    try:
        yield checkout
    finally:
        await asyncio.shield(services.checkouts.release(checkout))


def _request(services: Services, run: Run, config: RepoConfig, checkout: Checkout) -> RepairRequest:
    report = services.store.reports.get(run.report_id)
    if report is None:
        raise RunStoppedError("the report was deleted")
    out = services.work_dir / run.id
    out.mkdir(parents=True, exist_ok=True, mode=0o700)
    parent = services.store.runs.get(run.parent_id) if run.parent_id else None
    return RepairRequest(
        run_id=run.id,
        report=report,
        checkout=checkout,
        out=out,
        depth=Depth(run.depth or config.models.depth),
        config=run_config(config, Depth(run.depth or config.models.depth)),
        model=run.model,
        feedback=run.feedback,
        previous=keeping.result_of(services, parent) if run.kind is RunKind.REFINE else None,
    )


def _replaced(services: Services, run: Run) -> RunResult | None:
    """Return the result whose patch, on the same branch, the new one takes the place of.

    Where people's commits are on the branch, the new patch was made on top of them and replaces nothing.
    """
    on_top = run.base_sha == run.expected_head
    return (
        None
        if on_top or not run.parent_id
        else keeping.result_of(services, services.store.runs.get(run.parent_id))
    )


async def _hand_on(journal: Journal, services: Services, run_id: str) -> None:
    """Leave the slot: what is written to GitHub, and what waits for people, is another workflow's."""

    async def hand_on() -> bool:
        return await in_thread(
            services.store.runs.hand_on,
            run_id,
            {RunState.RUNNING},
            lambda connection: services.queues.enqueue(connection, publish_job(run_id)),
            state=RunState.PUBLISHING,
        )

    await journal.step("hand_on", hand_on)


async def _give_up(journal: Journal, services: Services, run_id: str, error: StepFailedError) -> None:
    """Record a failure as the run's result; the publishing workflow says it, unless nobody is there."""

    async def keep() -> None:
        run = await in_thread(services.store.runs.get, run_id)
        if run is None or run.state not in STARTED:
            return
        result = keeping.empty_result(run, _outcome(error), str(error))
        await in_thread(keeping.keep_result, services, run, result)
        state = RunState.FINISHED if error.gone else RunState.RUNNING
        ended = services.now() if error.gone else 0.0
        await in_thread(services.store.runs.change, run_id, STARTED, state=state, finished_at=ended)

    await journal.step("give_up", keep)
    if not error.gone:
        await _hand_on(journal, services, run_id)


def _outcome(error: StepFailedError) -> Outcome:
    if error.gone:
        return Outcome.CANCELLED
    return Outcome.DECLINED if error.kind == RunDeclinedError.__name__ else Outcome.ERROR


async def _load(services: Services, run_id: str) -> tuple[Run, Repository]:
    run = await in_thread(services.store.runs.get, run_id)
    repository = await in_thread(services.store.repositories.get, run.repository_id) if run else None
    if run is None or repository is None:
        raise RunStoppedError("the repository was removed from the installation")
    return run, replace(repository, installation_id=repository.installation_id or run.installation_id)
