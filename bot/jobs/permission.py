"""Whether the one who asked may ask: GitHub's collaborators API decides, before any clone or model call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.jobs.journal import StepFailedError
from bot.jobs.services import in_thread
from bot.jobs.voice import Voice
from handlers import replies
from handlers.intents import Permission, Subject

if TYPE_CHECKING:
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import Intent

ROLES = ("none", "read", "triage", "write", "maintain", "admin")

log = structlog.get_logger(__name__)


def suffices(role: str, needed: Permission) -> bool:
    """Return whether a role holds a permission; an unknown role holds none. Pure."""
    if needed is Permission.SYSTEM:
        return True
    return role in ROLES and ROLES.index(role) >= ROLES.index(needed)


async def is_allowed(journal: Journal, services: Services, intent: Intent, key: str) -> bool:
    """Ask GitHub; answer a refused commander once per subject and stay silent afterwards."""
    if intent.requires is Permission.SYSTEM:
        return True
    if intent.actor.is_bot:  # a listed one asks as SYSTEM
        services.metrics.refused.labels(reason="bot").inc()
        return False
    role = await _role(journal, services, intent)
    if suffices(role, intent.requires):
        return True
    services.metrics.refused.labels(reason="permission").inc()
    log.info("command_refused", repository_id=intent.repository.id, actor_id=intent.actor.id, role=role)
    await _refuse(journal, services, intent, key)
    return False


async def _role(journal: Journal, services: Services, intent: Intent) -> str:
    try:
        role: str = await journal.step(
            "permission", lambda: services.github.permission(intent.repository, intent.actor.login)
        )
    except StepFailedError as error:
        if error.gone or error.status is None:
            raise
        return "none"
    return role


async def _refuse(journal: Journal, services: Services, intent: Intent, key: str) -> None:
    subject = getattr(intent, "subject", None)
    if not isinstance(subject, Subject) or (subject.comment_id or subject.review_comment_id) is None:
        return  # nobody asked in words: a label, or a button that GitHub shows to everybody

    async def first() -> bool:
        return await in_thread(
            services.store.pulls.refuse,
            intent.repository.id,
            subject.key,
            intent.actor.id,
            key,
            services.now(),
        )

    if await journal.step("refuse", first):
        voice = Voice(services=services, repository=intent.repository, subject=subject)
        await voice.react(journal, "confused")
        await voice.say(journal, f"refused-{key}", replies.refused(intent.requires))
