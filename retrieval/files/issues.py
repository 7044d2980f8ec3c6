"""Past issues by likeness, and the files their fixes changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.vectors import VectorIndex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from retrieval.domain import PastIssue
    from retrieval.ports import Embedder

    Scores = NDArray[np.float64]

NEAREST = 20
SHARPNESS = 4.0
"""The power of a likeness: only near issues speak."""

PAPER_NEAREST = 10
_LONGEST = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """A past issue and how alike it is, at most 1."""

    issue: PastIssue
    score: float


class IssueMemory:
    """Issues embedded once; ``add`` embeds only what is new."""

    def __init__(
        self, embedder: Embedder, issues: Sequence[PastIssue] = (), index: VectorIndex | None = None
    ) -> None:
        self.embedder = embedder
        self.issues: list[PastIssue] = list(issues)
        self.index = index

    @classmethod
    def learn(cls, embedder: Embedder, issues: Sequence[PastIssue]) -> IssueMemory:
        """Fit the embedder on the issues and remember them, in order of time."""
        memory = cls(embedder)
        ordered = sorted(issues, key=lambda one: (one.time, one.id))
        if ordered:
            embedder.fit([text_of(one.title, one.body) for one in ordered])
            memory.add(ordered)
        return memory

    def add(self, issues: Sequence[PastIssue]) -> None:
        """Remember further issues; one that is known by its id is replaced."""
        at = {one.id: number for number, one in enumerate(self.issues)}
        numbers = []
        for issue in issues:
            number = at.setdefault(issue.id, len(self.issues))
            self.issues[number : number + 1] = [issue]
            numbers.append(number)
        if not issues:
            return
        vectors = self.embedder.embed([text_of(one.title, one.body) for one in issues])
        if self.index is None:
            self.index = VectorIndex(vectors.shape[1])
        self.index.add(numbers, vectors)

    def writable(self) -> IssueMemory:
        """Return a memory that can be added to; one that was loaded is mapped from disk."""
        return IssueMemory(self.embedder, self.issues, self.index.writable() if self.index else None)

    def similar(self, title: str, body: str, *, before: int, k: int) -> tuple[Likeness, ...]:
        """Return the ``k`` nearest issues closed before a moment, nearest first."""
        if self.index is None:
            return ()
        vector = self.embedder.embed([text_of(title, body)])[0]
        found = self.index.search(vector, min(10 * k, len(self.issues)))
        known = (Likeness(issue=self.issues[number], score=score) for number, score in found)
        return tuple(one for one in known if one.issue.time < before and one.score > 0)[:k]


def text_of(title: str, body: str) -> str:
    """Return what is embedded of an issue: the title counts twice."""
    return f"{title}\n{title}\n{body[:_LONGEST]}"


def issue_scores(similar: Sequence[Likeness], at: Mapping[str, int]) -> Scores:
    """Give each file the likeness of the issues whose fixes changed it, over the root of their size."""
    scores = np.zeros(len(at))
    for one in similar[:NEAREST]:
        for path in one.issue.files:
            if path in at:
                scores[at[path]] += one.score**SHARPNESS / len(one.issue.files) ** 0.5
    return scores


def issue_counts(similar: Sequence[Likeness], at: Mapping[str, int]) -> Scores:
    """Count how many of the ten nearest issues changed each file, as PatchRecall does."""
    scores = np.zeros(len(at))
    for one in similar[:PAPER_NEAREST]:
        for path in one.issue.files:
            if path in at:
                scores[at[path]] += 1
    return scores
