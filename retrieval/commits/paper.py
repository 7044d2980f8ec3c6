"""PatchHolmes' first phase as published: BM25, nearness in time and dense vectors, fused by reciprocal rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.commits.dense import LatentSpace
from retrieval.commits.document import Field
from retrieval.commits.lexical import damped
from retrieval.commits.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.commits.columns import History, Scores
    from retrieval.commits.domain import AdvisoryQuery
    from retrieval.commits.signals import SignalTable

RANK_CONSTANT = 60


def reciprocal_rank_fusion(rankings: Sequence[Scores], *, constant: int = RANK_CONSTANT) -> Scores:
    """Return the sum over rankings of 1 / (constant + rank) (Cormack et al. 2009); equal scores share a rank."""
    return np.asarray(np.sum([1 / (constant + _ranks(scores)) for scores in rankings], axis=0))


class PaperRanking:
    """Scores the commits of one history by the published recipe; the latent space is built once, when asked."""

    def __init__(self, history: History) -> None:
        self._space = LatentSpace(history, Field.DOCUMENT)

    def scores(self, query: AdvisoryQuery, table: SignalTable) -> Scores:
        """Return the fused score of every commit; without a publication date time does not count."""
        rankings = [table.column("document"), self._space.similarities(damped(query_terms(query.text)))]
        if query.published is not None:
            rankings.append(table.column("date"))
        return reciprocal_rank_fusion(rankings)


def _ranks(scores: Scores) -> Scores:
    """Return ranks from 1, best first; equal scores get the best rank of theirs."""
    distinct, places, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    starts = np.cumsum(counts) - counts
    return np.asarray(starts[places] + 1 if len(distinct) else places, dtype=np.float64)
