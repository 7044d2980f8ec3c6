"""The workflow that writes a result to GitHub; it holds no repository's slot and may come long after a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog

from agent.domain.run import Outcome
from bot.errors import GitHubError, RepositoryGoneError
from bot.github.policies import HouseRules
from bot.jobs import configuring, gates, keeping, wording
from bot.jobs.concluding import PUBLISHING, finish_run, leave_waiting, load, voice_of
from bot.jobs.deciding import Ending, ending
from bot.jobs.guard import guarded
from bot.jobs.publication import publication_of
from bot.jobs.services import in_thread
from bot.jobs.subjects import subject_of
from bot.repo_config import DEFAULTS
from bot.store.codec import decode, encode
from bot.store.pulls import Pull
from bot.store.runs import RunState

if TYPE_CHECKING:
    from bot.jobs.journal import Journal, StepFailedError
    from bot.jobs.services import Services
    from bot.ports import PullRequest
    from bot.store.runs import Run

RETRY = ("Retry", "Run again from the start", "retry")

log = structlog.get_logger(__name__)


async def publish(journal: Journal, services: Services, run_id: str) -> None:
    """Write a result where it belongs, then close the run; what GitHub refuses is said and kept."""

    async def write() -> None:
        plan = await journal.step("plan", lambda: _plan(services, run_id))
        await _ACTIONS[Ending(plan)](journal, services, run_id)

    with structlog.contextvars.bound_contextvars(run_id=run_id):
        await guarded(write(), lambda error: _not_published(journal, services, run_id, error))


async def _plan(services: Services, run_id: str) -> str:
    run = await in_thread(services.store.runs.get, run_id)
    result = await in_thread(keeping.result_of, services, run)
    if run is None or result is None or run.state is not RunState.PUBLISHING:
        return Ending.NOTHING.value
    repository = await in_thread(services.store.repositories.get, run.repository_id)
    config = await configuring.config_of(services, repository) if repository else DEFAULTS
    return ending(run, result, config).value


async def _pull_request(journal: Journal, services: Services, run_id: str) -> None:
    """Open or update the pull request; each write is found again by its key, so none is made twice."""
    rules = decode(HouseRules, await journal.step("house", lambda: _house(services, run_id)))
    if rules.prohibition is not None and await _is_unasked(services, run_id):
        await _forbidden(journal, services, run_id, rules.prohibition.path)
        return
    if not await journal.step("subject", lambda: _is_wanted(services, run_id)):
        await _closed(journal, services, run_id)
        return
    rival = await journal.step("rivals", lambda: _rival(services, run_id))
    if rival is not None:
        await _outdone(journal, services, run_id, decode(gates.Refusal, rival))
        return
    number = await journal.step("publish", lambda: _publish(services, run_id, rules))
    if number is not None:
        await _announce(journal, services, run_id)


async def _announce(journal: Journal, services: Services, run_id: str) -> None:
    run, result, repository = await load(services, run_id)
    voice = voice_of(services, run, repository)
    await voice.check(
        journal,
        run.head_sha,
        run.id,
        conclusion="success" if result.outcome is Outcome.FIXED else "neutral",
        title=wording.HEADLINES[result.outcome],
        summary=wording.summary(result),
        actions=(RETRY,),
    )
    await voice.say(journal, run.subject_key, wording.concluded(run, result))
    await finish_run(journal, services, run_id)


async def _house(services: Services, run_id: str) -> object:
    """Return what the repository asks of contributors; what cannot be read asks nothing."""
    _, _, repository = await load(services, run_id)
    try:
        return encode(await services.github.house_rules(repository))
    except GitHubError as error:
        if error.retryable or isinstance(error, RepositoryGoneError):
            raise
        return encode(HouseRules())


async def _is_unasked(services: Services, run_id: str) -> bool:
    """Return whether no person has said yet that this pull request is wanted nevertheless."""
    run, _, _ = await load(services, run_id)
    return not run.approved_by and not run.pull_number


async def _is_wanted(services: Services, run_id: str) -> bool:
    """Return whether the report is still open, or a person or an open pull request wants the patch anyhow."""
    run, _, repository = await load(services, run_id)
    if run.approved_by or run.pull_number:
        return True
    return await services.github.is_open(repository, subject_of(run))


async def _closed(journal: Journal, services: Services, run_id: str) -> None:
    """Keep the result of a run whose report was closed meanwhile; a person may still approve it."""
    run, _, repository = await load(services, run_id)
    await voice_of(services, run, repository).say(journal, run.subject_key, wording.closed_meanwhile())
    await leave_waiting(journal, services, run_id)


async def _rival(services: Services, run_id: str) -> object:
    """Look again for a pull request of somebody else: the run may have taken an hour."""
    run, _, repository = await load(services, run_id)
    report = await in_thread(services.store.reports.get, run.report_id)
    if report is None or run.private or run.pull_number or run.approved_by or run.cause == "retry":
        return None
    return encode(await gates.rival(services, repository, report, subject_of(run).number))


async def _forbidden(journal: Journal, services: Services, run_id: str, path: str) -> None:
    """Keep the result and say once why it is not a pull request; a person may still approve it."""
    run, _, repository = await load(services, run_id)
    await voice_of(services, run, repository).say(journal, run.subject_key, wording.forbidden(path))
    await leave_waiting(journal, services, run_id)


async def _outdone(journal: Journal, services: Services, run_id: str, refusal: gates.Refusal) -> None:
    run, _, repository = await load(services, run_id)
    await voice_of(services, run, repository).say(
        journal, run.subject_key, wording.not_started(refusal.reason, refusal.url)
    )
    await finish_run(journal, services, run_id)


async def _publish(services: Services, run_id: str, rules: HouseRules) -> int | None:
    run, result, repository = await load(services, run_id)
    if run.state is not RunState.PUBLISHING:
        return None  # stopped meanwhile
    config = await configuring.config_of(services, repository)
    report = await in_thread(services.store.reports.get, run.report_id)
    publication = publication_of(run, result, report, repository, config, rules)
    pull = await services.github.publish(publication)
    await in_thread(_record, services, run, pull)
    if pull.state != "open":
        raise GitHubError("its pull request was closed by somebody", status=None, retryable=False)
    return pull.number


def _record(services: Services, run: Run, pull: PullRequest) -> None:
    services.store.pulls.save(
        Pull(
            repository_id=run.repository_id,
            number=pull.number,
            run_id=run.id,
            subject_key=run.subject_key,
            branch=run.branch,
            head_sha=pull.head_sha,
            state=pull.state,
        )
    )
    changes = {"pull_number": pull.number, "pull_url": pull.url, "head_sha": pull.head_sha}
    services.store.runs.change(run.id, PUBLISHING, **changes)
    services.store.runs.note(run.id, services.now(), "published", pull.url)


async def _comment(journal: Journal, services: Services, run_id: str) -> None:
    run, result, repository = await load(services, run_id)
    await voice_of(services, run, repository).say(journal, run.subject_key, wording.concluded(run, result))
    await finish_run(journal, services, run_id)


async def _wait(journal: Journal, services: Services, run_id: str) -> None:
    """Leave the result to a person: a row that waits, no workflow. Approving enqueues this one anew."""
    run, result, repository = await load(services, run_id)
    await voice_of(services, run, repository).say(journal, run.subject_key, wording.waiting(result))
    await leave_waiting(journal, services, run_id)


async def _nothing(journal: Journal, services: Services, run_id: str) -> None:
    await finish_run(journal, services, run_id)


async def _not_published(journal: Journal, services: Services, run_id: str, error: StepFailedError) -> None:
    """Say why, unless the place to say it is gone; the result stays for the operator."""

    async def note() -> None:
        run = await in_thread(services.store.runs.get, run_id)
        if run:
            await in_thread(services.store.runs.note, run_id, services.now(), "not_published", str(error))
            reason = f"{run.reason} Not published: {error}".strip()
            await in_thread(services.store.runs.change, run_id, PUBLISHING, reason=reason)
            if error.kind == "HeadMovedError" and run.pull_number:
                change = services.store.pulls.change
                await in_thread(change, run.repository_id, run.pull_number, handed_over=True)

    await journal.step("note", note)
    if not error.gone:
        run, _, repository = await load(services, run_id)
        moved = error.kind == "HeadMovedError"
        words = wording.handed_over() if moved else wording.not_published(str(error))
        await voice_of(services, run, repository).say(journal, run.subject_key, words)
    await finish_run(journal, services, run_id)


_ACTIONS: dict[Ending, Any] = {
    Ending.PULL_REQUEST: _pull_request,
    Ending.COMMENT: _comment,
    Ending.WAIT: _wait,
    Ending.NOTHING: _nothing,
}
