"""Commands that only answer, and lines that could not be understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.jobs import configuring, keeping, wording
from bot.jobs.services import in_thread
from bot.jobs.subjects import matter_of, voice_for
from handlers import replies

if TYPE_CHECKING:
    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import Ask, RejectCommand


async def answer(journal: Journal, services: Services, intent: Ask, key: str) -> None:
    """Answer ``status``, ``explain`` and ``help``; of what this version cannot do, say so in one line."""
    matter = await matter_of(services, intent.repository, intent.subject)
    voice = voice_for(services, intent.repository, intent.subject, matter)

    async def words() -> str:
        if intent.command == "help":
            config = await configuring.config_of(services, intent.repository)
            return replies.help_text(configuring.triggers_of(services, config))
        if intent.command == "status":
            return wording.status(matter.run)
        if intent.command == "explain":
            result = await in_thread(keeping.result_of, services, matter.run)
            return wording.explain(matter.run, result)
        return replies.not_available(intent.command)

    text = await journal.step("words", words)
    await voice.react(journal, "eyes")
    await voice.say(journal, f"answer-{key}", text)


async def reject(journal: Journal, services: Services, intent: RejectCommand, key: str) -> None:
    """Say in one line why a command was not understood or is not possible here."""
    matter = await matter_of(services, intent.repository, intent.subject)
    voice = voice_for(services, intent.repository, intent.subject, matter)
    await voice.react(journal, "confused")
    await voice.say(journal, f"answer-{key}", replies.rejected(intent.reason))
