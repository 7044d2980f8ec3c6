"""The one acceptance rule: what a validated candidate is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.matrix import RowKind, RowStatus
from agent.domain.run import Outcome

if TYPE_CHECKING:
    from agent.domain.matrix import Matrix, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether a candidate is accepted, as what, and why in one line."""

    accepted: bool
    outcome: Outcome
    reason: str


def decide(matrix: Matrix, *, reproduced: bool) -> Decision:
    """Judge a candidate by its matrix.

    ``fixed`` needs the flaw reproduced before, gone after, and ordinary behaviour proved to be kept: by the
    project's own tests or by at least one benign control. Without a reproduced flaw the best that can be had is
    ``unproven``. Rows that are not required inform and never decide.
    """
    if not matrix.rows:
        return Decision(accepted=False, outcome=Outcome.NO_PATCH, reason="nothing was checked")
    if matrix.failing:
        return Decision(accepted=False, outcome=Outcome.NO_PATCH, reason=_first_failure(matrix.failing))
    if not reproduced:
        return Decision(
            accepted=True,
            outcome=Outcome.UNPROVEN,
            reason="the patch keeps the tests passing, but the flaw could not be reproduced",
        )
    if not _passed(matrix, RowKind.PROOF):
        return Decision(accepted=False, outcome=Outcome.NO_PATCH, reason="the proof was not run on the patch")
    if not (_passed(matrix, RowKind.REGRESSION) or _passed(matrix, RowKind.BENIGN)):
        return Decision(
            accepted=False,
            outcome=Outcome.NO_PATCH,
            reason="neither a test of the project nor a benign control shows that ordinary use still works",
        )
    return Decision(accepted=True, outcome=Outcome.FIXED, reason="every required row of the matrix passed")


def _first_failure(failing: tuple[Row, ...]) -> str:
    row = failing[0]
    more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
    return f"{row.name}: expected {row.expected}, saw {row.after}{more}"


def _passed(matrix: Matrix, kind: RowKind) -> bool:
    rows = matrix.of_kind(kind)
    return any(row.status is RowStatus.PASSED for row in rows)


def score(matrix: Matrix, changed_lines: int) -> tuple[int, int, int]:
    """Return a key that orders candidates, smaller is better: failing rows, unverified rows, changed lines."""
    unverified = sum(1 for row in matrix.rows if row.status is RowStatus.UNVERIFIED)
    return len(matrix.failing), unverified, changed_lines
