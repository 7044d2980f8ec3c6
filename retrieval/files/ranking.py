"""The ranking of a snapshot for a report. Pure but for the embedder that the past issues bring along."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.domain import RankedChunk, RankedFile
from retrieval.files.fusion import AGREEMENTS, fuse, min_max
from retrieval.files.issues import NEAREST
from retrieval.files.kinds import FileKind
from retrieval.files.past_signals import HISTORY, Past
from retrieval.files.query import parse
from retrieval.files.signals import LEXICAL, RAW, chunk_scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from retrieval.domain import FileQuery
    from retrieval.files.corpus import Corpus
    from retrieval.files.fusion import Preset
    from retrieval.files.issues import Likeness
    from retrieval.files.query import ParsedQuery
    from retrieval.files.snapshot import Snapshot

    Scores = NDArray[np.float64]

APART = 0.4
"""What a test, a document or a vendored file keeps of its score, unless the report names it."""

NAMED = 0.5
"""What such a file has at least when the report names its path for sure: a place among the first."""

_CHUNKS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The files of one corpus with every signal, each within 0..1, what its kind keeps of a score and has at least."""

    kind: FileKind
    corpus: Corpus
    signals: Mapping[str, Scores]
    kept: Scores
    least: Scores

    def scores(self, preset: Preset) -> Scores:
        """Return the fused score of every file."""
        return np.maximum(self.kept * fuse(self.signals, preset, len(self.corpus)), self.least)


def rank(query: FileQuery, snapshot: Snapshot, preset: Preset, *, k: int) -> tuple[RankedFile, ...]:
    """Return the best ``k`` files, best first; equal scores in path order."""
    parsed = parse(query)
    found: list[tuple[float, str, Measured, int]] = []
    for measured in measure(parsed, query, snapshot, preset):
        scores = measured.scores(preset)
        best = np.lexsort((np.arange(len(scores)), -scores))[:k]
        found += [(float(scores[at]), measured.corpus.paths[at], measured, int(at)) for at in best]
    found.sort(key=lambda one: (-one[0], one[2].kind is not FileKind.SOURCE, one[1]))
    chosen = found[:k]
    chunks = {id(one[2]): chunk_scores(parsed, one[2].corpus) for one in chosen}
    return tuple(
        RankedFile(
            path=path,
            score=score,
            signals={name: float(values[at]) for name, values in measured.signals.items()},
            chunks=_best_chunks(measured.corpus, at, chunks[id(measured)]),
        )
        for score, path, measured, at in chosen
    )


def measure(
    parsed: ParsedQuery, query: FileQuery, snapshot: Snapshot, preset: Preset
) -> tuple[Measured, ...]:
    """Return every signal that the preset weighs, by kind of file or over all files at once."""
    past = Past(
        history=snapshot.whole_history if not preset.apart else snapshot.histories[FileKind.SOURCE],
        by_title=snapshot.log.nearest(parsed.title) if "log_title" in preset.history else (),
        by_body=snapshot.log.nearest(parsed.body) if "log_body" in preset.history else (),
        similar=similar_issues(query, snapshot) if preset.wants_issues else (),
        at={},
    )
    if not preset.apart:
        return (_measured(parsed, snapshot.whole, past, preset),)
    found = []
    for kind, corpus in snapshot.corpora.items():
        if len(corpus):
            own = replace(past, history=snapshot.histories[kind])
            found.append(_measured(parsed, corpus, own, preset, kind=kind))
    return tuple(found)


def similar_issues(query: FileQuery, snapshot: Snapshot) -> tuple[Likeness, ...]:
    """Return the past issues that are most like the report, closed before the snapshot's commit."""
    if snapshot.memory is None:
        return ()
    return snapshot.memory.similar(query.title, query.body, before=snapshot.now, k=NEAREST)


def _measured(
    parsed: ParsedQuery,
    corpus: Corpus,
    past: Past,
    preset: Preset,
    *,
    kind: FileKind = FileKind.SOURCE,
) -> Measured:
    past = replace(past, at=corpus.at)
    found = {name: LEXICAL[name](parsed, corpus) for name in preset.lexical if name in LEXICAL}
    found |= {name: HISTORY[name](past) for name in preset.history if name in HISTORY}
    signals = scaled(found, preset)
    named = signals["named_paths"] if preset.apart and kind is not FileKind.SOURCE else None
    kept = np.ones(len(corpus)) if named is None else np.where(named > 0, 1.0, APART)
    least = np.zeros(len(corpus)) if named is None else NAMED * named
    return Measured(kind=kind, corpus=corpus, signals=signals, kept=kept, least=least)


def scaled(found: Mapping[str, Scores], preset: Preset) -> dict[str, Scores]:
    """Return signals within 0..1, and the agreements that the preset weighs."""
    signals = {name: values if name in RAW else min_max(values) for name, values in found.items()}
    weighed = {**preset.lexical, **preset.history}
    signals |= {
        name: signals[one] * signals[two] for name, (one, two) in AGREEMENTS.items() if name in weighed
    }
    return signals


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
