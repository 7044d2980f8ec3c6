"""A refined patch takes the place of the one before it: what only the old one changed goes back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent.domain.run import Outcome, RunResult

if TYPE_CHECKING:
    from pathlib import Path

SAME = "The refinement came to the same patch."


def instead_of(result: RunResult, previous: RunResult | None, tree: Path) -> RunResult:
    """Return the result with the changes that turn the old patch's branch into the new patch.

    Both patches start from ``tree``. The same patch again is no patch: an empty commit is never pushed.
    """
    old = previous.candidate.changes if previous and previous.candidate else None
    if old is None or result.candidate is None:
        return result
    taken_back = {path: _content(tree, path) for path in old if path not in result.candidate.changes}
    changes = {**taken_back, **result.candidate.changes}
    if changes == dict(old):
        return replace(result, outcome=Outcome.NO_PATCH, reason=SAME, candidate=None)
    return replace(result, candidate=replace(result.candidate, changes=changes))


def _content(tree: Path, path: str) -> bytes | None:
    file = tree / path
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None
