"""Which commit fixed this advisory? The first phase: every commit of a history, ranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.commits.columns import History
from retrieval.commits.domain import RankedCommit
from retrieval.commits.explicit import explicit_commits
from retrieval.commits.paper import PaperRanking
from retrieval.commits.presets import Preset, RankingConfig
from retrieval.commits.releases import Releases, tag_commits
from retrieval.commits.shortlist import LOOKED_AT, best_first, interleaved, lifted
from retrieval.commits.signals import Signals
from retrieval.commits.store import CommitIndex

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retrieval.commits.columns import Scores
    from retrieval.commits.domain import AdvisoryQuery
    from retrieval.commits.signals import SignalTable
    from retrieval.git import GitRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """An answer: commits best first, and how sure the ranking is of its first.

    ``margin`` is within 0..1: near 0 the next change is as likely as the first. ``explicit`` says that the first
    was named by the advisory.
    """

    commits: tuple[RankedCommit, ...]
    margin: float
    explicit: bool
    searched: int


class CommitTracer:
    """Ranks the commits of one repository as it was when the tracer was opened."""

    def __init__(self, history: History, releases: Releases, config: RankingConfig) -> None:
        self.history = history
        self.signals = Signals(history, releases)
        self._config = config
        self._paper = PaperRanking(history)

    @classmethod
    def open(
        cls, repository: GitRepository, folder: Path, config: RankingConfig | None = None
    ) -> CommitTracer:
        """Bring the index in ``folder`` up to date and open it; raise ``GitError``."""
        head = repository.resolve("HEAD") if repository.has_commits() else ""
        history = History(CommitIndex(folder).update(repository), head)
        return cls(history, Releases(history, tag_commits(repository)), config or RankingConfig())

    def trace(self, query: AdvisoryQuery, *, k: int = 100, follow_links: bool = True) -> Tracing:
        """Return the best ``k`` commits; those that the advisory names come first and say so."""
        if not len(self.history):
            return Tracing(commits=(), margin=0.0, explicit=False, searched=0)
        table = self.signals.table(query)
        scores = self.scores(query, table)
        named = explicit_commits(self.history, query) if follow_links else {}
        order = [position for position in self.order(table, scores, k) if position not in named]
        places = [*named, *order][:k]
        commits = tuple(self._ranked(place, scores, table, named) for place in places)
        return Tracing(
            commits=commits, margin=self.margin(scores), explicit=bool(named), searched=len(self.history)
        )

    def scores(self, query: AdvisoryQuery, table: SignalTable) -> Scores:
        """Return the score of every commit by the configured preset."""
        if self._config.preset is Preset.PAPER:
            return self._paper.scores(query, table)
        return self.weighted(table, self._config.weights)

    def weighted(self, table: SignalTable, weights: Mapping[str, float]) -> Scores:
        """Return the score of every commit by given weights."""
        config = self._config
        raw = table.weighted(weights)
        return lifted(raw, self.history.sketches, kinship=config.kinship, threshold=config.alike)

    def order(self, table: SignalTable, scores: Scores, k: int) -> list[int]:
        """Return the positions of a shortlist of ``k``, best first."""
        if self._config.preset is Preset.PAPER:
            return [int(position) for position in best_first(scores, k)]
        plain = table.weighted(self._config.plain)
        return interleaved(scores, plain, k, share=self._config.trusted)

    def margin(self, scores: Scores) -> float:
        """Return how far the first stands before the next that is another change, as a share of both, 0..1.

        The weights are fitted by softmax, so the difference of two scores is the logarithm of their odds.
        """
        best = [position for position in best_first(scores, LOOKED_AT) if np.isfinite(scores[position])]
        if not best:
            return 0.0
        family = self.signals.family
        others = [position for position in best[1:] if family[position] != family[best[0]]]
        return float(np.tanh((scores[best[0]] - scores[others[0]]) / 2)) if others else 1.0

    def _ranked(
        self, position: int, scores: Scores, table: SignalTable, named: Mapping[int, str]
    ) -> RankedCommit:
        return RankedCommit(
            id=self.history.id(position),
            subject=self.history.subjects[position],
            committed=int(self.history.column("committed")[position]),
            score=float(scores[position]),
            signals=table.row(position),
            explicit=named.get(position, ""),
        )
