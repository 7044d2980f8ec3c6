"""How a run ends: its row closed or left waiting, its last check concluded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from bot.errors import GitHubError
from bot.jobs import keeping, wording
from bot.jobs.services import in_thread
from bot.jobs.subjects import subject_of
from bot.jobs.voice import Voice
from bot.store.runs import RunKind, RunState

if TYPE_CHECKING:
    from agent.domain.run import RunResult
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from bot.store.runs import Run
    from handlers.intents import Repository

PUBLISHING = frozenset({RunState.PUBLISHING})

log = structlog.get_logger(__name__)


async def load(services: Services, run_id: str) -> tuple[Run, RunResult, Repository]:
    """Return a run with its result and repository; raise ``GitHubError`` when one was deleted."""
    run = await in_thread(services.store.runs.get, run_id)
    repository = await in_thread(services.store.repositories.get, run.repository_id) if run else None
    result = await in_thread(keeping.result_of, services, run)
    if run is None or repository is None or result is None:
        raise GitHubError("run, repository or result was deleted", status=None, retryable=False)
    return run, result, replace(repository, installation_id=repository.installation_id or run.installation_id)


def voice_of(services: Services, run: Run, repository: Repository) -> Voice:
    """Return the run's public voice: none for a private report, whatever a person approved later."""
    return Voice(services=services, repository=repository, subject=subject_of(run), silent=run.private)


async def leave_waiting(journal: Journal, services: Services, run_id: str) -> None:
    """Leave the result to a person."""

    async def wait() -> bool:
        return await in_thread(services.store.runs.change, run_id, PUBLISHING, state=RunState.WAITING)

    await journal.step("wait", wait)


async def finish_run(journal: Journal, services: Services, run_id: str) -> None:
    """Close the run's row and its check."""
    await _conclude_earlier(journal, services, run_id)

    async def finish() -> None:
        run = await in_thread(services.store.runs.get, run_id)
        changed = await in_thread(
            services.store.runs.change,
            run_id,
            PUBLISHING,
            state=RunState.FINISHED,
            finished_at=services.now(),
        )
        if run and changed:
            services.metrics.runs.labels(outcome=run.outcome).inc()
            log.info("run_finished", outcome=run.outcome, repository_id=run.repository_id)

    await journal.step("finish", finish)


async def _conclude_earlier(journal: Journal, services: Services, run_id: str) -> None:
    """End the check that showed a refinement at work, where it stands on an older commit than the result."""
    run = await in_thread(services.store.runs.get, run_id)
    repository = await in_thread(services.store.repositories.get, run.repository_id) if run else None
    if run is None or repository is None or run.kind is not RunKind.REFINE or run.private:
        return
    if run.expected_head and run.expected_head != run.head_sha:
        await voice_of(services, run, repository).check(
            journal,
            run.expected_head,
            run.id,
            conclusion="neutral",
            title=wording.superseded(run.head_sha),
            summary=run.reason or wording.superseded(run.head_sha),
        )
