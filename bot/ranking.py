"""Joins the workflow's questions about files and history to the retrieval package."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agent.errors import AgentError
from retrieval.domain import FileQuery
from retrieval.errors import RetrievalError
from retrieval.files.ranker import TreeRanker
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from agent.domain.report import Report
    from retrieval.domain import RankedFile


class RankingError(AgentError):
    """The files could not be ranked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRanker:
    """Ranks with the history of ``source`` where it is a repository, else by the files alone."""

    source: Path
    engine: TreeRanker = field(default_factory=TreeRanker)

    def rank(self, report: Report, tree: Path, *, k: int) -> tuple[RankedFile, ...]:
        """Return the best ``k`` files for the report."""
        query = FileQuery(title=report.title, body=report.body)
        try:
            return self.engine.rank(query, self.source if has_history(self.source) else tree, k=k)
        except RetrievalError as error:
            raise RankingError(str(error)) from None


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
