"""The one way to say something in public; a private report has a voice that cannot speak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from bot.jobs.journal import StepFailedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.jobs.journal import Journal
    from bot.jobs.services import Services
    from handlers.intents import Repository, Subject

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """Reactions, comments and checks about one subject. What cannot be said is logged, and work goes on."""

    services: Services
    repository: Repository
    subject: Subject
    silent: bool = False

    async def react(self, journal: Journal, reaction: str) -> None:
        """React to the comment that asked, or to the issue."""
        if self.subject.number is not None:
            github = self.services.github
            await self._try(
                journal, f"react-{reaction}", lambda: github.react(self.repository, self.subject, reaction)
            )

    async def say(self, journal: Journal, key: str, text: str) -> None:
        """Write the one comment of ``key``, or bring it up to date."""
        if (number := self.subject.number) is not None:
            github = self.services.github
            await self._try(
                journal, "comment", lambda: github.sticky_comment(self.repository, number, key, text)
            )

    async def check(
        self,
        journal: Journal,
        head_sha: str,
        key: str,
        *,
        conclusion: str,
        title: str,
        summary: str,
        actions: Sequence[tuple[str, str, str]] = (),
    ) -> None:
        """Conclude the check run of ``key`` on a commit."""
        github = self.services.github
        await self._try(
            journal,
            "check",
            lambda: github.check(
                self.repository,
                head_sha,
                key,
                status="completed",
                conclusion=conclusion,
                title=title,
                summary=summary,
                actions=actions,
            ),
        )

    async def label(self, journal: Journal, number: int, labels: Sequence[str]) -> None:
        """Add labels."""
        github = self.services.github
        await self._try(journal, "label", lambda: github.add_labels(self.repository, number, labels))

    async def _try(self, journal: Journal, name: str, call: Callable[[], Awaitable[object]]) -> None:
        if self.silent:
            return

        async def spoken() -> None:
            await call()

        try:
            await journal.step(name, spoken)
        except StepFailedError as error:
            log.warning("not_said", step=name, repository_id=self.repository.id, error=str(error))
