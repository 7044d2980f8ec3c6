"""The repository configuration: read from the default branch only; the last good one stays in force."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from bot.errors import GitHubError
from bot.jobs.services import in_thread
from bot.jobs.voice import Voice
from bot.repo_config import (
    DEFAULTS,
    PATH,
    AppIdentity,
    ConfigProblems,
    Operator,
    RepoConfig,
    read_config,
    trigger_config,
)
from handlers import replies
from handlers.intents import ReportKind, Repository, Subject

if TYPE_CHECKING:
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import CheckConfig
    from handlers.triggers import TriggerConfig

FRESH_SECONDS = 3600.0
ORGANISATION_REPOSITORY = ".github"

log = structlog.get_logger(__name__)


async def config_of(services: Services, repository: Repository) -> RepoConfig:
    """Return the configuration in force; read anew after an hour, for an organisation's default sends no event.

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
    shared, own = json.loads(state.text) if state and state.text else ("", "")
    config = _read(services, shared, own)
    return config if isinstance(config, RepoConfig) else DEFAULTS


def triggers_of(services: Services, config: RepoConfig) -> TriggerConfig:
    """Return what the handlers are told: who Suture is, and the operator's switch, which nobody turns back on."""
    operator = services.operator
    identity = AppIdentity(app_id=operator.app_id, slug=operator.app_slug, trusted_bots=operator.trusted_bots)
    triggers = trigger_config(config, identity, _bounds(services))
    return replace(triggers, enabled=triggers.enabled and operator.enabled)


async def check(journal: Journal, services: Services, intent: CheckConfig, _key: str) -> None:
    """Read a changed configuration; a bad one becomes one failing check that names line and key."""
    repository = intent.repository

    async def look() -> list[str]:
        return await _look(services, repository)

    problems = await journal.step("config", look)
    if problems:
        nowhere = Subject(kind=ReportKind.ISSUE, key="config")
        voice = Voice(services=services, repository=repository, subject=nowhere)
        await voice.check(
            journal,
            intent.head_sha,
            f"config-{intent.head_sha}",
            conclusion="failure",
            title=f"{PATH} cannot be used",
            summary=replies.broken_config(problems),
        )


async def _look(services: Services, repository: Repository) -> list[str]:
    """Fetch, try and remember the configuration; return what is wrong with it."""
    own = await _text(services, repository)
    shared = await _organisation(services, repository)
    read = _read(services, shared, own)
    problems = [str(one) for one in read.problems] if isinstance(read, ConfigProblems) else []
    if problems:
        log.info("config_refused", repository_id=repository.id, problems=len(problems))
    await in_thread(
        services.store.repositories.set_config,
        repository.id,
        text=None if problems else json.dumps([shared, own]),
        problem="\n".join(problems),
        at=services.now(),
    )
    return problems


async def _organisation(services: Services, repository: Repository) -> str:
    """Return the organisation's default; one that cannot be reached is no default."""
    owner = repository.full_name.partition("/")[0]
    shared = replace(repository, id=0, full_name=f"{owner}/{ORGANISATION_REPOSITORY}", default_branch="")
    try:
        return await _text(services, shared)
    except GitHubError as error:
        if error.retryable:
            raise
        return ""


async def _text(services: Services, repository: Repository) -> str:
    content = await services.github.read_file(repository, PATH)
    return (content or b"").decode("utf-8", errors="replace")


def _read(services: Services, shared: str, own: str) -> RepoConfig | ConfigProblems:
    """Return the repository's configuration over the organisation's; a bad default of theirs counts as none."""
    defaults = read_config(shared or None)
    good = defaults if isinstance(defaults, RepoConfig) else DEFAULTS
    return read_config(own or None, good, _bounds(services))


def _bounds(services: Services) -> Operator:
    return Operator(models=services.operator.models, minutes=float(services.operator.run_minutes))


def is_ours(services: Services, login: str) -> bool:
    """Return whether a login is Suture's own."""
    return bool(services.operator.app_slug) and login.casefold() == f"{services.operator.app_slug}[bot]"
