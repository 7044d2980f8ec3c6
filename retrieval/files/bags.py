"""Many bags of counted terms in three flat arrays: compact, quick to join, quick to keep on disk. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_HIGHEST = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class Bags:
    """Bag ``i`` holds ``terms[ends[i-1]:ends[i]]`` with their ``counts``; no term occurs twice in a bag."""

    terms: NDArray[np.uint32]
    counts: NDArray[np.uint16]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def lengths(self) -> NDArray[np.float64]:
        """Return how many terms each bag counted."""
        totals = np.concatenate(([0], np.cumsum(self.counts, dtype=np.int64)))
        return (totals[self.ends] - totals[self.starts]).astype(np.float64)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Return where each bag begins."""
        return np.concatenate((np.zeros(1, dtype=np.int64), self.ends[:-1])) if len(self.ends) else self.ends


def pack(counted: Sequence[Mapping[int, int]]) -> Bags:
    """Return bags of counted terms; a count ends at 65,535."""
    total = sum(map(len, counted))
    terms = np.fromiter(chain.from_iterable(counted), dtype=np.uint32, count=total)
    values = chain.from_iterable(bag.values() for bag in counted)
    counts = np.minimum(np.fromiter(values, dtype=np.int64, count=total), _HIGHEST).astype(np.uint16)
    ends = np.cumsum(np.fromiter(map(len, counted), dtype=np.int64, count=len(counted)))
    return Bags(terms=terms, counts=counts, ends=ends)


def join(parts: Sequence[Bags]) -> Bags:
    """Return the bags of all parts, one after the other."""
    if not parts:
        return pack([])
    offsets = np.cumsum([0, *(len(part.terms) for part in parts[:-1])])
    return Bags(
        terms=np.concatenate([part.terms for part in parts]),
        counts=np.concatenate([part.counts for part in parts]),
        ends=np.concatenate([part.ends + offset for part, offset in zip(parts, offsets, strict=True)]),
    )
