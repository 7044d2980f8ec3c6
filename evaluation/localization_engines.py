"""Three BM25 engines side by side over the same tokens: ``rank-bm25``, ``bm25s`` and ours."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

import bm25s
import numpy as np

from retrieval.files.bags import join
from retrieval.files.lexical import BM25Index
from retrieval.files.query import parse
from retrieval.okapi import OkapiIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from retrieval.domain import FileQuery
    from retrieval.files.bags import Bags
    from retrieval.files.corpus import Corpus

    Scores = NDArray[np.float64]


class Engine(Protocol):
    """Scores every bag for a query of counted terms."""

    def scores(self, query: Mapping[int, float]) -> Scores:
        """Return one score a bag."""
        ...


class BM25SIndex:
    """``bm25s`` over bags of terms, with Lucene's idf as ours."""

    def __init__(self, bags: Bags) -> None:
        vocabulary, numbers = np.unique(bags.terms, return_inverse=True)
        self._column = {int(term): at for at, term in enumerate(vocabulary)}
        texts = [
            np.repeat(numbers[start:end], bags.counts[start:end]).tolist()
            for start, end in zip(bags.starts, bags.ends, strict=True)
        ]
        self._index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        names = {str(term): at for term, at in self._column.items()}
        self._index.index((texts, names), show_progress=False)

    def scores(self, query: Mapping[int, float]) -> Scores:
        """Return the score of every bag."""
        asked = [
            self._column[term]
            for term, count in query.items()
            if term in self._column
            for _ in range(int(count))
        ]
        return np.asarray(self._index.get_scores_from_ids(asked), dtype=np.float64)


ENGINES: Mapping[str, Callable[[Bags], Engine]] = {
    "rank-bm25": OkapiIndex,
    "bm25s": BM25SIndex,
    "ours": BM25Index,
}


def engine_rankings(
    query: FileQuery, corpus: Corpus, seconds: dict[str, float]
) -> dict[str, tuple[str, ...]]:
    """Return the ranking of each engine and add its processor times for index and query to ``seconds``."""
    bags = join([one.body for one in corpus.documents])
    asked = parse(query).body
    found = {}
    for name, engine in ENGINES.items():
        start = time.process_time()
        index = engine(bags)
        middle = time.process_time()
        scores = index.scores(asked)
        seconds[f"{name} index"], seconds[f"{name} query"] = middle - start, time.process_time() - middle
        order = np.lexsort((np.arange(len(scores)), -scores))
        found[name] = tuple(corpus.paths[at] for at in order)
    return found
