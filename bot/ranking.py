"""Joins the workflow's questions about files and history to the retrieval package."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import structlog

from agent.config import RankingConfig
from agent.errors import AgentError
from retrieval.domain import FileQuery
from retrieval.embedders import EmbedderConfig, build_embedder
from retrieval.errors import IndexBusyError, IndexDamagedError, RetrievalError
from retrieval.files.memory_store import load_memory
from retrieval.files.presets import DEFAULT
from retrieval.files.ranker import TreeRanker
from retrieval.files.store import IndexStore, delete_index
from retrieval.files.tuning import tuned
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from pathlib import Path

    from agent.domain.report import Report
    from retrieval.domain import RankedFile
    from retrieval.files.fusion import Preset

_EVERY_FILE = 1_000_000

log = structlog.get_logger(__name__)


class RankingError(AgentError):
    """The files could not be ranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRanker:
    """Ranks with the history of ``source`` where it is a repository, else by the files alone.

    ``index`` is the folder that keeps what was read and the past issues; without one everything is read anew.
    """

    source: Path
    index: Path | None = None
    config: RankingConfig = field(default_factory=RankingConfig)
    embedder: EmbedderConfig = field(default_factory=EmbedderConfig)

    def rank(self, report: Report, tree: Path, *, k: int) -> tuple[RankedFile, ...]:
        """Return the best ``k`` files for the report that the configuration lets be searched."""
        query = FileQuery(title=report.title, body=report.body)
        narrowed = bool(self.config.include or self.config.exclude)
        try:
            with self._engine() as engine:
                where = self.source if has_history(self.source) else tree
                ranked = engine.rank(query, where, k=_EVERY_FILE if narrowed else k)
        except RetrievalError as error:
            raise RankingError(str(error)) from None
        return tuple(file for file in ranked if is_searched(file.path, self.config))[:k]

    @contextmanager
    def _engine(self) -> Iterator[TreeRanker]:
        """Open the index; a damaged one is built again, one that is held by others is done without."""
        store = self._store()
        if store is None:
            yield TreeRanker(preset=self._preset(DEFAULT))
            return
        try:
            memory = load_memory(store, build_embedder(self.embedder))
            yield TreeRanker(preset=self._preset(tuned(DEFAULT, store)), keeper=store, memory=memory)
        finally:
            store.close()

    def _store(self) -> IndexStore | None:
        if self.index is None:
            return None
        try:
            return IndexStore(self.index)
        except IndexDamagedError:
            log.warning("index_damaged", index=self.index.name)
            delete_index(self.index)
            return IndexStore(self.index)
        except IndexBusyError:
            log.warning("index_busy", index=self.index.name)
            return None

    def _preset(self, preset: Preset) -> Preset:
        """Return the preset with the repository's own alpha, which wins over a fitted one."""
        return preset if self.config.alpha is None else replace(preset, alpha=self.config.alpha)


def is_searched(path: str, config: RankingConfig) -> bool:
    """Tell whether the configuration lets a file be searched; ``*`` in a glob also spans folders. Pure."""
    wanted = not config.include or any(fnmatchcase(path, glob) for glob in config.include)
    return wanted and not any(fnmatchcase(path, glob) for glob in config.exclude)


def commit_day(source: Path) -> date | None:
    """Return the day of the commit that is checked out, None for a plain folder or an empty repository."""
    if not has_history(source):
        return None
    try:
        return datetime.fromtimestamp(GitRepository(source).commit_time("HEAD"), UTC).date()
    except RetrievalError:
        return None


def has_history(source: Path) -> bool:
    """Tell whether ``source`` is a checkout or a bare repository."""
    return (source / ".git").exists() or (source / "objects").is_dir()
