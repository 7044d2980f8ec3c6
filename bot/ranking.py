"""Joins the workflow's question for files to the ranking engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.errors import AgentError
from retrieval.domain import FileQuery
from retrieval.errors import RetrievalError
from retrieval.files.ranker import TreeRanker

if TYPE_CHECKING:
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
            return self.engine.rank(query, self.source if _has_history(self.source) else tree, k=k)
        except RetrievalError as error:
            raise RankingError(str(error)) from None


def _has_history(source: Path) -> bool:
    return (source / ".git").exists() or (source / "objects").is_dir()
