"""From the place where somebody asked to the report it is about: a pull request or a button names a run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.jobs.services import in_thread
from bot.jobs.voice import Voice
from bot.store.codec import decode
from handlers.intents import ReportKind, Subject

if TYPE_CHECKING:
    from bot.jobs.services import Services
    from bot.store.runs import Run
    from handlers.intents import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What is asked about: the report's own subject, and its latest run if there was one."""

    subject: Subject
    run: Run | None

    @property
    def private(self) -> bool:
        """Whether it must not be spoken of."""
        return self.run is not None and self.run.private and not self.run.approved_by


def subject_of(run: Run) -> Subject:
    """Return the subject a run was started for."""
    return decode(Subject, json.loads(run.subject))


async def matter_of(services: Services, repository: Repository, asked: Subject) -> Matter:
    """Return the matter behind the place where somebody asked."""
    store = services.store
    run: Run | None = None
    if asked.kind is ReportKind.RUN:
        run = await in_thread(store.runs.get, asked.key)
        run = run if run and run.repository_id == repository.id else None
    elif asked.kind is ReportKind.PULL_REQUEST and asked.number:
        run = next(iter(await in_thread(store.runs.of_pull, repository.id, asked.number)), None)
    subject = subject_of(run) if run else asked
    runs = await in_thread(store.runs.of_subject, repository.id, subject.key)
    return Matter(subject=subject, run=runs[0] if runs else None)


def voice_for(
    services: Services, repository: Repository, asked: Subject, matter: Matter | None = None
) -> Voice:
    """Return the voice that answers where somebody asked; mute when the matter is private."""
    silent = matter is not None and matter.private
    return Voice(services=services, repository=repository, subject=asked, silent=silent)
