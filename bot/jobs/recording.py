"""What people did to our pull requests, kept with what made the patch: for the pages, and to learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.jobs import keeping
from bot.jobs.controlling import cancel_runs
from bot.jobs.services import in_thread
from bot.store.pulls import Feedback

if TYPE_CHECKING:
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import RecordFeedback

STATES = {"merged": "merged", "closed": "closed", "reopened": "open"}
ENDED = frozenset({"merged", "closed"})


async def record(journal: Journal, services: Services, intent: RecordFeedback, key: str) -> None:
    """Keep the feedback and the pull request's state; a closed one is not worked on any more."""

    async def keep() -> bool:
        return await in_thread(_keep, services, intent, key)

    if await journal.step("feedback", keep) and intent.what in ENDED:

        async def cancel() -> None:
            active = await in_thread(services.store.runs.active, repository_id=intent.repository.id)
            ours = [run for run in active if run.pull_number == intent.pull_number]
            await cancel_runs(services, ours, f"its pull request was {intent.what}")

        await journal.step("stop", cancel)


def _keep(services: Services, intent: RecordFeedback, key: str) -> bool:
    pulls = services.store.pulls
    pull = pulls.get(intent.repository.id, intent.pull_number)
    if pull is None:
        return False
    if state := STATES.get(intent.what):
        pulls.change(intent.repository.id, pull.number, state=state)
    if intent.what == "human_commit":
        pulls.change(intent.repository.id, pull.number, handed_over=True)
    pulls.record(feedback_of(services, pull.run_id, key, intent))
    return True


def feedback_of(services: Services, run_id: str, key: str, intent: RecordFeedback) -> Feedback:
    """Return the feedback with the rule or model and the weakness it speaks about."""
    run = services.store.runs.get(run_id)
    result = keeping.result_of(services, run)
    report = services.store.reports.get(run.report_id) if run else None
    candidate = result.candidate if result else None
    return Feedback(
        key=key,
        repository_id=intent.repository.id,
        pull_number=intent.pull_number,
        run_id=run_id,
        what=intent.what,
        actor=intent.actor.login,
        origin=candidate.origin.value if candidate else "",
        source=candidate.source if candidate else "",
        model=run.model if run else "",
        cwes=" ".join(report.cwes) if report else "",
        detail=intent.detail,
        at=services.now(),
    )
