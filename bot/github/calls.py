"""How one operation on a repository is carried out: off the event loop, begun again when that can help.

An operation looks up what it is about to write, so it may be begun again as a whole after a lost answer.
"""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

import structlog

from bot.errors import GitHubError, RepositoryGoneError
from bot.github.errors import RepositoryMovedError
from bot.github.grants import LOOK

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from github.Repository import Repository as RemoteRepository

    from bot.github.connection import Connection
    from bot.github.grants import Grant
    from handlers.intents import Repository

ResultT = TypeVar("ResultT")
MOVES = 3

log = structlog.get_logger(__name__)


class Calls:
    """Runs operations in its own threads; renames are followed, waiting never holds a thread."""

    def __init__(
        self, connection: Connection, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._connection = connection
        self._config = connection.config
        self._pool = ThreadPoolExecutor(self._config.threads, thread_name_prefix="github")
        self._sleep = sleep
        self._names: dict[int, str] = {}
        self._verified: set[tuple[int, str]] = set()

    async def on(
        self, repository: Repository, grant: Grant, work: Callable[[RemoteRepository], ResultT]
    ) -> ResultT:
        """Return what ``work`` returns for the repository under its present name.

        A 404 of anything in it is raised as it is, unless the repository itself cannot be found any more:
        then as ``RepositoryGoneError``.
        """
        try:
            return await self.run(lambda: self._named(repository, grant, work))
        except GitHubError as error:
            if error.status == HTTPStatus.NOT_FOUND and not isinstance(error, RepositoryGoneError):
                self.forget(repository)
                await self.run(lambda: self._named(repository, LOOK, lambda _: None))
            raise

    async def optional(
        self, repository: Repository, grant: Grant, work: Callable[[RemoteRepository], ResultT]
    ) -> ResultT | None:
        """Return what ``work`` returns, None when what it asks for is not there."""
        try:
            return await self.on(repository, grant, work)
        except GitHubError as error:
            if error.status != HTTPStatus.NOT_FOUND or isinstance(error, RepositoryGoneError):
                raise
            return None

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Run ``work`` in a thread, and again while its failure is one that passes; time is limited."""
        async with asyncio.timeout(self._config.operation_seconds):
            for attempt in range(1, self._config.tries + 1):
                try:
                    return await asyncio.get_running_loop().run_in_executor(self._pool, work)
                except GitHubError as error:
                    if not error.retryable or attempt == self._config.tries:
                        raise
                    await self._pause(error, attempt)
        raise AssertionError("the last try returns or raises")

    def forget(self, repository: Repository) -> None:
        """Trust no name of the repository that was seen before."""
        self._names.pop(repository.id, None)
        self._verified = {known for known in self._verified if known[0] != repository.id}

    def close(self) -> None:
        """Start nothing more; what runs ends within its own time limit."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _pause(self, error: GitHubError, attempt: int) -> None:
        seconds = error.retry_after
        if seconds is None:
            seconds = self._config.backoff * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)  # noqa: S311 - jitter
        if seconds > self._config.longest_pause:
            raise error  # the job waits, not the call: a pause of an hour would hold its slot
        log.info("github_retry", status=error.status, attempt=attempt, seconds=round(seconds, 1))
        await self._sleep(seconds)

    def _named(
        self, repository: Repository, grant: Grant, work: Callable[[RemoteRepository], ResultT]
    ) -> ResultT:
        for _ in range(MOVES):
            name = self._names.get(repository.id, repository.full_name)
            try:
                self._verify(repository, name)
                return work(self._connection.repository(repository, name, grant))
            except RepositoryMovedError as moved:
                self._names[repository.id] = self._present_name(repository, moved)
        raise RepositoryGoneError("the repository keeps moving", status=None, retryable=False)

    def _verify(self, repository: Repository, name: str) -> None:
        """See once that the name is still this repository's: a public one is readable with any token."""
        if (repository.id, name) in self._verified:
            return
        try:
            found = self._connection.wire(repository, LOOK).get(f"/repos/{name}")
        except GitHubError as error:
            if error.status != HTTPStatus.NOT_FOUND or isinstance(error, RepositoryGoneError):
                raise
            raise RepositoryGoneError("there is no such repository", status=404, retryable=False) from error
        if found["id"] != repository.id:
            raise RepositoryGoneError("another repository took the name", status=None, retryable=False)
        self._verified.add((repository.id, name))

    def _present_name(self, repository: Repository, moved: RepositoryMovedError) -> str:
        """Return the name behind a redirect, if it is still the same repository."""
        wire = self._connection.wire(repository, LOOK)
        # The address of the thing asked for, cut to the repository it lies in.
        parts = moved.location.split("/repositories/")
        if len(parts) > 1:
            found = wire.get(f"{parts[0]}/repositories/{parts[1].split('/')[0].split('?')[0]}")
        else:
            found = wire.get(moved.location)
        if found["id"] != repository.id:
            raise RepositoryGoneError("another repository took the name", status=None, retryable=False)
        return str(found["full_name"])
