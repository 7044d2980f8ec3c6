"""A global advisory: it concerns an installed repository whose own manifest declares the package it names."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import structlog

from bot.errors import GitHubError
from bot.jobs.names import run_id
from bot.jobs.services import in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import AdvisoryBroadcast, Repository

MANIFESTS: Mapping[str, str] = {"pip": "pyproject.toml", "npm": "package.json"}

log = structlog.get_logger(__name__)


async def broadcast(journal: Journal, services: Services, intent: AdvisoryBroadcast, key: str) -> None:
    """Keep the advisory as a report of each repository whose own package it names.

    Following it up (trace, backport) is for the operator until those engines are there; the log says so.
    """

    async def look() -> int:
        concerned = 0
        for repository in await in_thread(services.store.repositories.all):
            if await _concerns(services, repository, intent):
                mine = run_id(key, repository.id)
                subject = intent.report.id
                save = services.store.reports.save
                await in_thread(save, mine, repository.id, subject, intent.report, services.now())
                log.info("advisory_concerns", repository_id=repository.id, advisory=subject)
                concerned += 1
        return concerned

    await journal.step("advisory", look, seconds=1800.0)


async def _concerns(services: Services, repository: Repository, intent: AdvisoryBroadcast) -> bool:
    for ecosystem, package in intent.packages:
        path = MANIFESTS.get(ecosystem)
        if path is None:
            continue
        try:
            content = await services.github.read_file(repository, path)
        except GitHubError as error:
            if error.retryable:
                raise
            return False
        if content and package_name(path, content) == _normal(package):
            return True
    return False


def package_name(path: str, content: bytes) -> str:
    """Return the package a manifest declares, normalised; empty when it names none. Pure."""
    try:
        text = content.decode("utf-8")
        data = json.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except ValueError:
        return ""
    project = data if path.endswith(".json") else data.get("project", {})
    name = project.get("name") if isinstance(project, dict) else None
    return _normal(name) if isinstance(name, str) else ""


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
