"""The past fixes that speak for a file: commits by message and issues by likeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.files.query import parse
from retrieval.files.ranking import similar_issues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.domain import FileQuery
    from retrieval.files.snapshot import Snapshot

_EACH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PastFix:
    """A commit or an issue that speaks for a file; ``score`` is its share of the best one's likeness."""

    kind: str
    id: str
    subject: str
    score: float


def past_of(query: FileQuery, snapshot: Snapshot, paths: Sequence[str]) -> dict[str, tuple[PastFix, ...]]:
    """Return for each path at most three past fixes, the likest first."""
    found: dict[str, list[PastFix]] = {path: [] for path in paths}
    for at, score in snapshot.log.nearest(parse(query).body):
        change = snapshot.log.changes[at]
        for path in found.keys() & set(change.paths):
            found[path].append(PastFix(kind="commit", id=change.id, subject=change.subject, score=score))
    for like in similar_issues(query, snapshot):
        for path in found.keys() & set(like.issue.files):
            found[path].append(
                PastFix(kind="issue", id=like.issue.id, subject=like.issue.title, score=like.score)
            )
    return {path: tuple(sorted(fixes, key=lambda one: -one.score)[:_EACH]) for path, fixes in found.items()}
