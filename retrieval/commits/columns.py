"""The commits of all segments side by side: a history as arrays, and its graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from retrieval.commits.segment import ID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from retrieval.commits.segment import Segment

    Mask = NDArray[np.bool_]
    Scores = NDArray[np.float64]

SHORTEST_ID = 7
"""Fewer digits of a commit id are taken for a number."""


@dataclass(frozen=True)
class History:
    """A repository's commits; a commit is spoken of by its position, from 0."""

    segments: Sequence[Segment]
    head: str = ""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def ids(self) -> NDArray[np.bytes_]:
        """Return the commit ids by position."""
        return np.concatenate([np.zeros(0, dtype=ID), *(segment.ids for segment in self.segments)])

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.ids, kind="stable")

    @cached_property
    def _sorted(self) -> NDArray[np.bytes_]:
        return self.ids[self._order]

    def column(self, name: str) -> Scores:
        """Return a column of facts by position."""
        parts = [np.zeros(0), *(segment.column(name) for segment in self.segments)]
        return np.concatenate(parts).astype(np.float64)

    @cached_property
    def sketches(self) -> NDArray[np.uint32]:
        """Return the sketches of the patches, a row a commit."""
        return np.concatenate([segment.column("sketches") for segment in self.segments]).astype(np.uint32)

    @cached_property
    def subjects(self) -> list[str]:
        """Return the first lines of the messages by position."""
        return [subject for segment in self.segments for subject in segment.subjects]

    def id(self, position: int) -> str:
        """Return the id of a commit."""
        return bytes(self.ids[position]).decode()

    def position(self, name: str) -> int | None:
        """Return the position of a commit by its id, or by the beginning of it when only one fits."""
        wanted = name.lower().encode()
        if not SHORTEST_ID <= len(wanted) <= ID.itemsize:
            return None
        first, last = np.searchsorted(self._sorted, np.array([wanted, wanted + b"g"], dtype=ID))
        return int(self._order[first]) if last - first == 1 else None

    @cached_property
    def _edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return child, parent and which parent it is, without parents that are not in the history."""
        counts = np.concatenate([segment.column("parent_counts") for segment in self.segments])
        parents = np.concatenate([segment.column("parents") for segment in self.segments]).astype(ID)
        children = np.repeat(np.arange(len(counts)), counts)
        starts = np.cumsum(counts) - counts
        numbers = np.arange(len(parents)) - np.repeat(starts, counts)
        places = np.minimum(np.searchsorted(self._sorted, parents), max(len(self) - 1, 0))
        known = self._sorted[places] == parents if len(parents) else np.zeros(0, dtype=bool)
        return children[known], self._order[places[known]], numbers[known]

    @cached_property
    def _graph(self) -> sparse.csr_matrix:
        children, parents, _ = self._edges
        ones = np.ones(len(children), dtype=np.int8)
        return sparse.csr_matrix((ones, (children, parents)), shape=(len(self), len(self)))

    def ancestors(self, position: int) -> Mask:
        """Return which commits are reachable from one, itself among them."""
        found = csgraph.breadth_first_order(self._graph, position, return_predecessors=False)
        mask = np.zeros(len(self), dtype=bool)
        mask[found] = True
        return mask

    @cached_property
    def main_line(self) -> tuple[int, ...]:
        """Return the commits that HEAD reaches by first parents alone, newest first."""
        children, parents, numbers = self._edges
        first = np.full(len(self), -1)
        first[children[numbers == 0]] = parents[numbers == 0]
        found: dict[int, None] = {}
        at = self.position(self.head)
        while at is not None and at >= 0 and at not in found:
            found[at] = None
            at = int(first[at])
        return tuple(found)

    def on_main_line(self) -> Mask:
        """Return which commits are on the main line."""
        mask = np.zeros(len(self), dtype=bool)
        mask[list(self.main_line)] = True
        return mask

    def brought_by(self, position: int) -> int | None:
        """Return the commit of the main line that first contained another one, None when none does."""
        line = self.main_line
        low, high = 0, len(line)
        while low < high:
            middle = (low + high) // 2
            if self.ancestors(line[middle])[position]:
                low = middle + 1
            else:
                high = middle
        return line[low - 1] if low else None
