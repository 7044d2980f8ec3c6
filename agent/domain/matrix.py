"""The validation matrix: executable acceptance criteria, one row a case."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RowKind(StrEnum):
    """What a row asks."""

    PROOF = "proof"
    VARIANT = "variant"
    BENIGN = "benign"
    WEAKNESS = "weakness"
    BUILD = "build"
    REGRESSION = "regression"
    NEW_TEST = "new_test"
    SCOPE = "scope"
    REVIEW = "review"


class RowStatus(StrEnum):
    """``UNVERIFIED`` rows inform, they never count as passed."""

    PASSED = "passed"
    FAILED = "failed"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One acceptance criterion with what was seen before and after the patch.

    ``required`` rows decide acceptance; ``command`` is what a reviewer types to see it again.
    """

    kind: RowKind
    name: str
    expected: str
    before: str
    after: str
    status: RowStatus
    required: bool = True
    command: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """All rows of one candidate."""

    rows: tuple[Row, ...]

    @property
    def failing(self) -> tuple[Row, ...]:
        """Return the required rows that did not pass."""
        return tuple(row for row in self.rows if row.required and row.status is not RowStatus.PASSED)

    def of_kind(self, kind: RowKind) -> tuple[Row, ...]:
        """Return the rows of one kind."""
        return tuple(row for row in self.rows if row.kind is kind)
