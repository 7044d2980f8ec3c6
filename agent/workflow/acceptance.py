"""The one acceptance rule: what a validated candidate is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.matrix import RowKind, RowStatus
from agent.domain.patch import Origin
from agent.domain.run import Outcome

if TYPE_CHECKING:
    from agent.domain.matrix import Matrix, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether a candidate is accepted, as what, and why in one line."""

    accepted: bool
    outcome: Outcome
    reason: str


def decide(matrix: Matrix, *, reproduced: bool, origin: Origin = Origin.RULE) -> Decision:
    """Judge a candidate by its matrix.

    ``fixed`` needs the flaw reproduced before, gone after, and ordinary behaviour proved to be kept: by the
    project's own tests or by at least one benign control. Without a reproduced flaw the best that can be had is
    ``unproven``. A model's patch, which may be fitted to the one proof it was shown, must besides withstand
    another attack or a review. Rows that are not required inform and never decide.
    """
    refusal = _refusal(matrix, reproduced=reproduced, origin=origin)
    if refusal:
        return Decision(accepted=False, outcome=Outcome.NO_PATCH, reason=refusal)
    if not reproduced:
        return Decision(
            accepted=True,
            outcome=Outcome.UNPROVEN,
            reason="the patch keeps the tests passing, but the flaw could not be reproduced",
        )
    return Decision(accepted=True, outcome=Outcome.FIXED, reason="every required row of the matrix passed")


def _refusal(matrix: Matrix, *, reproduced: bool, origin: Origin) -> str:
    """Return why a candidate is not accepted, empty when it is."""
    if not matrix.rows:
        return "nothing was checked"
    if matrix.failing:
        return _first_failure(matrix.failing)
    return _missing(matrix, origin) if reproduced else ""


def _missing(matrix: Matrix, origin: Origin) -> str:
    """Return which evidence is missing, empty when none is."""
    if not _passed(matrix, RowKind.PROOF):
        return "the proof was not run on the patch"
    if not (_passed(matrix, RowKind.REGRESSION) or _passed(matrix, RowKind.BENIGN)):
        return "neither a test of the project nor a benign control shows that ordinary use still works"
    if origin is Origin.MODEL and not (_passed(matrix, RowKind.VARIANT) or _passed(matrix, RowKind.REVIEW)):
        return "neither another form of the attack nor a review shows that the patch reaches beyond its proof"
    return ""


def _first_failure(failing: tuple[Row, ...]) -> str:
    row = failing[0]
    more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
    return f"{row.name}: expected {row.expected}, saw {row.after}{more}"


def _passed(matrix: Matrix, kind: RowKind) -> bool:
    """Tell whether a row that decides passed: one that only informs is no evidence, whoever wrote it."""
    return any(row.required and row.status is RowStatus.PASSED for row in matrix.of_kind(kind))


def score(matrix: Matrix, changed_lines: int) -> tuple[int, int, int]:
    """Return a key that orders candidates, smaller is better: failing rows, unverified rows, changed lines."""
    unverified = sum(1 for row in matrix.rows if row.status is RowStatus.UNVERIFIED)
    return len(matrix.failing), unverified, changed_lines
