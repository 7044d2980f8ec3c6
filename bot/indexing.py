"""The index of each repository of the App: brought up to date at a push, so that a run starts with it ready."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import structlog

from bot.errors import GitHubError
from retrieval.domain import PastIssue
from retrieval.embedders import EmbedderConfig, build_embedder
from retrieval.errors import IndexDamagedError
from retrieval.files.index import update
from retrieval.files.memory_store import remember
from retrieval.files.store import IndexStore, delete_index
from retrieval.files.trees import open_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bot.github.history import PastFix
    from bot.ports import Checkout
    from handlers.intents import Repository

MOST_ISSUES = 2_000

log = structlog.get_logger(__name__)


class History(Protocol):
    """Closed issues with what fixed them."""

    async def past_fixes(self, repository: Repository, issues: int = MOST_ISSUES) -> Sequence[PastFix]:
        """Return the fixes of the latest closed issues; raise ``GitHubError``."""
        ...


def project_folder(cache: Path, owner: Path) -> Path:
    """Return the cache folder of one project, named after where its history lies."""
    return cache / "projects" / hashlib.sha256(os.fsencode(owner.resolve())).hexdigest()[:16]


def index_of(project: Path) -> Path:
    """Return where the index of files lies in a project's cache folder."""
    return project / "files"


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorIndexer:
    """Keeps an index beside the caches of each repository's mirror; safe to lose at any time."""

    cache: Path
    history: History
    mirror_of: Callable[[Repository], Path]
    embedder: EmbedderConfig = field(default_factory=EmbedderConfig)

    async def update(self, repository: Repository, checkout: Checkout) -> None:
        """Read what is new in a checkout's commit, and the issues closed since."""
        folder = index_of(project_folder(self.cache, checkout.mirror))
        fixes = await self._fixes(repository)
        await asyncio.to_thread(_update, folder, checkout, fixes, self.embedder)

    async def drop(self, repository: Repository) -> None:
        """Remove everything kept of a repository: index, environments, package caches."""
        folder = project_folder(self.cache, self.mirror_of(repository))
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _fixes(self, repository: Repository) -> Sequence[PastFix]:
        """Return past fixes; without them the ranking still has the commit log."""
        try:
            return await self.history.past_fixes(repository, issues=MOST_ISSUES)
        except GitHubError as error:
            log.warning("past_fixes_not_read", repository_id=repository.id, status=error.status)
            return ()


def _update(folder: Path, checkout: Checkout, fixes: Sequence[PastFix], embedder: EmbedderConfig) -> None:
    tree = open_tree(checkout.mirror, revision=checkout.sha)
    try:
        store = IndexStore(folder)
    except IndexDamagedError:
        delete_index(folder)
        store = IndexStore(folder)
    try:
        update(tree, store)
        if fixes:
            remember(store, build_embedder(embedder), map(as_past_issue, fixes))
    finally:
        store.close()


def as_past_issue(fix: PastFix) -> PastIssue:
    """Return a fix as the ranking sees it. Pure."""
    return PastIssue(
        id=f"{fix.issue}/{fix.commit}",
        title=fix.title,
        body=fix.body or "",
        files=fix.paths,
        time=int(fix.merged_at.timestamp()),
    )
