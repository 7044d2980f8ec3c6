"""Commits that are one change: cherry-picks, ports, rebased copies, and the merge that brought a lone commit."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from retrieval.commits.document import NO_HASH, SKETCH, Field

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from numpy.typing import NDArray

    from retrieval.commits.columns import History, Scores

_SHORTEST_SUBJECT = 4
_MOST_ALIKE = 20
"""A patch that more commits share is boilerplate, not one change."""


def families(history: History) -> NDArray[np.int64]:
    """Return a family's number for each commit.

    One family: the same author time and subject, the same changed lines, or one message citing the other commit.
    """
    pairs = [*_copies(history), *_same_patches(history), *_citations(history)]
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    links = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(history), len(history)))
    return np.asarray(csgraph.connected_components(links, directed=False)[1], dtype=np.int64)


def best_of_family(family: NDArray[np.int64], values: Scores) -> Scores:
    """Return for each commit the highest value in its family."""
    best = np.full(int(family.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, family, values)
    return best[family]


def alike(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> float:
    """Return how alike two patches are: the Jaccard index of their changed lines, estimated from sketches."""
    first, second = set(one.tolist()) - {NO_HASH}, set(other.tolist()) - {NO_HASH}
    smallest = sorted(first | second)[:SKETCH]
    return sum(value in first and value in second for value in smallest) / len(smallest) if smallest else 0.0


def _copies(history: History) -> Iterator[tuple[int, int]]:
    authored = history.column("authored").astype(np.int64)
    keys = (
        (int(time), subject) if time and len(subject) >= _SHORTEST_SUBJECT else None
        for time, subject in zip(authored, history.subjects, strict=True)
    )
    yield from _pairs(keys, most=len(history))


def _same_patches(history: History) -> Iterator[tuple[int, int]]:
    sketches = history.sketches
    keys = (
        row.tobytes() if some else None for row, some in zip(sketches, sketches[:, 0] != NO_HASH, strict=True)
    )
    yield from _pairs(keys, most=_MOST_ALIKE)


def _citations(history: History) -> Iterator[tuple[int, int]]:
    offset = 0
    for segment in history.segments:
        tokens = segment.tokens("~")
        cited = [history.position(token.removeprefix("~")) for token in tokens]
        postings = segment.postings(Field.MENTIONS, tokens)
        for token, commit in zip(postings.asked, postings.commits, strict=True):
            other = cited[token]
            if other is not None:
                yield offset + int(commit), other
        offset += len(segment)


def _pairs(keys: Iterable[Hashable | None], *, most: int) -> Iterator[tuple[int, int]]:
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for position, key in enumerate(keys):
        if key is not None:
            groups[key].append(position)
    for group in groups.values():
        if 1 < len(group) <= most:
            yield from ((group[0], other) for other in group[1:])
