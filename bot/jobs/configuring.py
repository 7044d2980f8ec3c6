"""The repository configuration: read from the default branch only; the last good one stays in force."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from bot.errors import GitHubError
from bot.jobs.policy import ConfigProblemsError, Policy
from bot.jobs.services import in_thread
from bot.jobs.voice import Voice
from handlers import replies
from handlers.intents import ReportKind, Repository, Subject
from handlers.triggers import TriggerConfig

if TYPE_CHECKING:
    from bot.jobs.journal import Journal
    from bot.jobs.services import Operator, Services
    from handlers.intents import CheckConfig

FRESH_SECONDS = 3600.0
ORGANISATION_REPOSITORY = ".github"

log = structlog.get_logger(__name__)


async def policy_of(services: Services, repository: Repository) -> Policy:
    """Return the policy in force; read anew after an hour, for an organisation's default sends no event.

    Raises a retryable ``GitHubError`` only when nothing is known yet.
    """
    state = await in_thread(services.store.repositories.config, repository.id)
    if state is None or services.now() - state.checked_at > FRESH_SECONDS:
        try:
            await _look(services, repository)
        except GitHubError as error:
            if state is None and error.retryable:
                raise
        state = await in_thread(services.store.repositories.config, repository.id) or state
    return _with_operator(_read_good(services, state.text if state else ""), services.operator)


def default_policy(services: Services) -> Policy:
    """Return the policy for events about no repository."""
    return _with_operator(Policy(), services.operator)


async def check(journal: Journal, services: Services, intent: CheckConfig, _key: str) -> None:
    """Read a changed configuration; a bad one becomes one failing check that names line and key."""
    repository = intent.repository

    async def look() -> list[str]:
        return list(await _look(services, repository))

    problems = await journal.step("config", look)
    path = TriggerConfig().config_path
    nowhere = Subject(kind=ReportKind.ISSUE, key="config")
    voice = Voice(services=services, repository=repository, subject=nowhere)
    if problems:
        await voice.check(
            journal,
            intent.head_sha,
            f"config-{intent.head_sha}",
            conclusion="failure",
            title=f"{path} cannot be used",
            summary=replies.broken_config(problems),
        )


async def _look(services: Services, repository: Repository) -> tuple[str, ...]:
    """Fetch, try and remember the configuration; return what is wrong with it."""
    text = await _fetch(services, repository)
    problems: tuple[str, ...] = ()
    good: str | None = text
    try:
        services.policies.read(text)
    except ConfigProblemsError as error:
        problems, good = error.problems, None
        log.info("config_refused", repository_id=repository.id, problems=len(problems))
    await in_thread(
        services.store.repositories.set_config,
        repository.id,
        text=good,
        problem="\n".join(problems),
        at=services.now(),
    )
    return problems


async def _fetch(services: Services, repository: Repository) -> str:
    """Return the repository's own file, else the organisation's default, else nothing."""
    path = TriggerConfig().config_path
    content = await services.github.read_file(repository, path)
    if content is None:
        owner = repository.full_name.partition("/")[0]
        shared = replace(repository, id=0, full_name=f"{owner}/{ORGANISATION_REPOSITORY}", default_branch="")
        try:
            content = await services.github.read_file(shared, path)
        except GitHubError as error:
            if error.retryable:
                raise
    return (content or b"").decode("utf-8", errors="replace")


def _read_good(services: Services, text: str) -> Policy:
    try:
        return services.policies.read(text)
    except ConfigProblemsError:
        return Policy()  # good when it was stored; this version reads it otherwise


def _with_operator(policy: Policy, operator: Operator) -> Policy:
    """Add who Suture is, and the operator's switch, which no repository can turn back on."""
    triggers = replace(
        policy.triggers,
        enabled=policy.triggers.enabled and operator.enabled,
        trusted_bots=policy.triggers.trusted_bots | operator.trusted_bots,
        app_id=operator.app_id,
        app_slug=operator.app_slug,
    )
    return replace(policy, triggers=triggers)


def is_ours(services: Services, login: str) -> bool:
    """Return whether a login is Suture's own."""
    return bool(services.operator.app_slug) and login.casefold() == f"{services.operator.app_slug}[bot]"
