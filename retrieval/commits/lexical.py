"""BM25 over the segments of an index."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from retrieval.commits.document import Field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retrieval.commits.columns import Mask, Scores
    from retrieval.commits.segment import Postings, Segment

SATURATION = 1.2
LENGTH_WEIGHT: Mapping[Field, float] = {
    Field.MESSAGE: 0.6,
    Field.PATHS: 0.5,
    Field.DIFF: 0.75,
    Field.SECTIONS: 0.5,
    Field.DOCUMENT: 0.75,
}
"""BM25's b: how much a long text is held against a commit."""


def bm25(segments: Sequence[Segment], field: Field, terms: Mapping[str, float]) -> Scores:
    """Return the BM25 score of every commit for weighted query terms (Robertson; idf as in Lucene, never < 0)."""
    lengths = [segment.lengths(field).astype(np.float64) for segment in segments]
    total = sum(map(len, lengths))
    average = sum(part.sum() for part in lengths) / total if total else 0.0
    found = [segment.postings(field, list(terms)) for segment in segments]
    held = np.sum([np.bincount(part.asked, minlength=len(terms)) for part in found], axis=0)
    weights = np.array(list(terms.values())) * np.log1p((total - held + 0.5) / (held + 0.5))
    b = LENGTH_WEIGHT[field]
    norms = [SATURATION * (1 - b + b * part / (average or 1.0)) for part in lengths]
    parts = [_scores(part, weights, norm) for part, norm in zip(found, norms, strict=True)]
    return np.concatenate([np.zeros(0), *parts])


def containing(segments: Sequence[Segment], field: Field, tokens: Sequence[str]) -> Mask:
    """Return which commits hold any of the tokens in a field."""
    parts = []
    for segment in segments:
        mask = np.zeros(len(segment), dtype=bool)
        mask[segment.postings(field, tokens).commits] = True
        parts.append(mask)
    return np.concatenate([np.zeros(0, dtype=bool), *parts])


def relative(scores: Scores) -> Scores:
    """Return scores divided by the highest, within 0..1."""
    highest = scores.max(initial=0.0)
    return scores / highest if highest > 0 else scores


def damped(terms: Mapping[str, int]) -> dict[str, float]:
    """Return term counts as weights that grow slowly: a word said five times is not five words."""
    return {term: 1.0 + math.log(count) for term, count in terms.items()}


def _scores(found: Postings, weights: Scores, norms: Scores) -> Scores:
    gains = weights[found.asked] * found.counts * (SATURATION + 1) / (found.counts + norms[found.commits])
    return np.bincount(found.commits, weights=gains, minlength=len(norms)).astype(np.float64)
