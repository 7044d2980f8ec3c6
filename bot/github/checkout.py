"""The ``Checkouts`` port: one bare mirror for each repository, and trees exported from it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import shutil
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

import structlog

from bot.errors import GitHubError
from bot.github.errors import GitError
from bot.github.export import TreeLimits
from bot.github.git import Git, GitLimits
from bot.github.grants import FETCH
from bot.github.mirror import Mirror, checked_sha
from bot.ports import Checkout

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from pathlib import Path

    from bot.github.connection import Connection
    from handlers.intents import Repository

LOCK_SECONDS = 1800.0
LOCK_POLL = 0.1

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutConfig:
    """Where mirrors and trees lie, and their bounds."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    git: GitLimits = field(default_factory=GitLimits)
    tree: TreeLimits = field(default_factory=TreeLimits)
    tries: int = 3
    backoff: float = 2.0


class GitCheckouts:
    """Mirrors below one folder; many processes may share it. Named by number, so a rename changes nothing."""

    def __init__(
        self,
        config: CheckoutConfig,
        connection: Connection,
        refresh: Callable[[Repository], Awaitable[Repository]],
    ) -> None:
        self._config = config
        self._connection = connection
        self._refresh = refresh
        self._web = connection.config.web_url
        self._git = Git(
            home=config.folder / "home",
            environment=config.environment,
            limits=config.git,
            insecure=self._web.startswith("http://"),
        )

    async def export(self, repository: Repository, branch: str = "", sha: str = "") -> Checkout:
        """Fetch, then write one commit (the branch's, by default the default branch's) into a new folder."""
        now = await self._refresh(repository)
        branch = branch or now.default_branch
        mirror = self._mirror(repository)
        async with self._taken(repository):
            await self._fetch(now, mirror)
            commit = await self._commit(now, mirror, branch, sha)
            tree = self._config.folder / "trees" / f"{repository.id}-{commit[:12]}-{uuid4().hex[:8]}"
            unpacked = await mirror.export(commit, tree, self._config.tree)
        if unpacked.left_out:
            log.warning("names_left_out", repository_id=repository.id, names=len(unpacked.left_out))
        return Checkout(tree=tree, mirror=mirror.path, branch=branch, sha=commit)

    async def release(self, checkout: Checkout) -> None:
        """Remove an exported tree; one that is gone already is no error."""
        await asyncio.to_thread(partial(shutil.rmtree, checkout.tree, ignore_errors=True))

    async def drop(self, repository: Repository) -> None:
        """Remove mirror and trees."""
        async with self._taken(repository):
            trees = await asyncio.to_thread(
                lambda: list(self._config.folder.glob(f"trees/{repository.id}-*"))
            )
            for place in (self._mirror(repository).path, *trees):
                await asyncio.to_thread(partial(shutil.rmtree, place, ignore_errors=True))

    async def _fetch(self, repository: Repository, mirror: Mirror) -> None:
        for attempt in range(1, self._config.tries + 1):
            try:
                await self._with_token(
                    repository,
                    lambda address, token: mirror.fetch(address, token, repository.default_branch),
                )
            except GitError as error:
                mended = await mirror.discard_if_broken(error)
                if attempt == self._config.tries or not (mended or error.retryable):
                    raise
                await asyncio.sleep(0 if mended else self._config.backoff * attempt)
            else:
                return

    async def _commit(self, repository: Repository, mirror: Mirror, branch: str, sha: str) -> str:
        if not sha:
            found = await mirror.commit(f"refs/heads/{branch}")
        elif (found := await mirror.commit(checked_sha(sha))) is None:
            await self._with_token(
                repository, lambda address, token: mirror.fetch_commit(address, token, sha)
            )
            found = await mirror.commit(sha)
        if found is None:
            missing = f"commit {sha}" if sha else f"branch {branch}"
            raise GitHubError(f"the repository has no {missing}", status=None, retryable=False)
        return found

    async def _with_token(self, repository: Repository, fetch: Callable[[str, str], Awaitable[None]]) -> None:
        """Fetch with a token for this repository alone; one that GitHub refuses is forgotten."""
        tokens = self._connection.tokens
        token = await asyncio.to_thread(tokens.take, repository.installation_id, repository.id, FETCH)
        try:
            await fetch(f"{self._web}/{repository.full_name}.git", token)
        except GitError as error:
            if any(
                sign in error.words.lower() for sign in ("authentication failed", "error: 401", "error: 403")
            ):
                tokens.forget(token)
                error.retryable = True
            raise

    def mirror_path(self, repository: Repository) -> Path:
        """Return where the mirror of a repository lies, or would."""
        return self._config.folder / "mirrors" / f"{repository.id}.git"

    def _mirror(self, repository: Repository) -> Mirror:
        return Mirror(path=self.mirror_path(repository), git=self._git)

    @contextlib.asynccontextmanager
    async def _taken(self, repository: Repository) -> AsyncIterator[None]:
        """Hold the mirror against every other process; the operating system lets go of it if we die."""
        locks = self._config.folder / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with (locks / str(repository.id)).open("w") as file:
            async with asyncio.timeout(LOCK_SECONDS):
                while not _try_lock(file.fileno()):  # noqa: ASYNC110 - another process holds it: no event comes
                    await asyncio.sleep(LOCK_POLL)
            yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
