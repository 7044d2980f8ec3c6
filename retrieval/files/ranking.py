"""The ranking of a snapshot for a report. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.domain import RankedChunk, RankedFile
from retrieval.files.fusion import fuse, min_max
from retrieval.files.kinds import FileKind
from retrieval.files.query import parse
from retrieval.files.signals import SIGNALS, chunk_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from retrieval.domain import FileQuery
    from retrieval.files.corpus import Corpus
    from retrieval.files.fusion import Preset
    from retrieval.files.history import History
    from retrieval.files.query import ParsedQuery
    from retrieval.files.snapshot import Snapshot

    Scores = NDArray[np.float64]

APART = 0.4
"""What a test, a document or a vendored file keeps of its score, unless the report names it."""

_CHUNKS = 3
_RAW = frozenset({"named_paths", "traceback_frames", "resolved_names"})
"""Signals that are within 0..1 by themselves: a weak mention stays weak."""


def rank(query: FileQuery, snapshot: Snapshot, preset: Preset, *, k: int) -> tuple[RankedFile, ...]:
    """Return the best ``k`` files, best first; equal scores in path order."""
    parsed = parse(query)
    found = [one for kind in FileKind for one in _ranked(parsed, snapshot, kind, preset, k)]
    return tuple(sorted(found, key=lambda one: (-one.score, one.path))[:k])


def _ranked(
    query: ParsedQuery, snapshot: Snapshot, kind: FileKind, preset: Preset, k: int
) -> Iterator[RankedFile]:
    corpus = snapshot.corpora[kind]
    if not len(corpus):
        return
    signals = signals_of(query, corpus, snapshot.histories[kind], preset)
    scores = fuse(signals, preset, len(corpus))
    if kind is not FileKind.SOURCE:
        scores = scores * np.where(signals["named_paths"] > 0, 1.0, APART)
    chunks = chunk_scores(query, corpus)
    for at in np.lexsort((np.arange(len(scores)), -scores))[:k]:
        yield RankedFile(
            path=corpus.paths[at],
            score=float(scores[at]),
            signals={name: float(values[at]) for name, values in signals.items()},
            chunks=_best_chunks(corpus, int(at), chunks),
        )


def signals_of(query: ParsedQuery, corpus: Corpus, history: History, preset: Preset) -> Mapping[str, Scores]:
    """Return every signal that the preset weighs, within 0..1."""
    found = {name: SIGNALS[name](query, corpus) for name in preset.lexical if name in SIGNALS}
    if "log_body" in preset.history:
        found["log_body"] = history.spread(history.nearest(history.messages.scores(query.body)))
    if "recency" in preset.history:
        found["recency"] = history.recency()
    return {name: values if name in _RAW else min_max(values) for name, values in found.items()}


def _best_chunks(corpus: Corpus, at: int, scores: Scores) -> tuple[RankedChunk, ...]:
    first, last = corpus.chunk_first[at], corpus.chunk_first[at + 1]
    best = sorted(range(first, last), key=lambda chunk: (-scores[chunk], chunk))[:_CHUNKS]
    outlined = corpus.documents[at].definitions
    return tuple(
        RankedChunk(
            name=outlined[chunk - first].name,
            kind=outlined[chunk - first].kind,
            start_line=outlined[chunk - first].start_line,
            end_line=outlined[chunk - first].end_line,
            score=float(scores[chunk]),
        )
        for chunk in best
        if scores[chunk] > 0
    )
