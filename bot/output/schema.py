"""The published shape of ``run.json`` and ``matrix.json``; ``docs/run.schema.json`` is made from it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from agent.domain.matrix import RowKind, RowStatus
from agent.domain.patch import Origin
from agent.domain.report import Severity, Visibility
from agent.domain.run import Outcome, Stage


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _writable(cls, values: Any) -> Any:
        """File names and test names may hold bytes that are no text; JSON cannot."""
        return (
            {name: _as_text(value) for name, value in values.items()} if isinstance(values, dict) else values
        )


def _as_text(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    if isinstance(value, dict):
        return {_as_text(key): _as_text(item) for key, item in value.items()}
    return value


class CostShape(_Shape):
    """Spent on models; ``money`` in US dollars."""

    calls: int
    tokens_in: int
    tokens_out: int
    money: float


class StageShape(_Shape):
    """One stage that ran, in order."""

    stage: Stage
    result: str
    summary: str
    seconds: float
    cost: CostShape


class ReportShape(_Shape):
    """The report that was worked on."""

    id: str
    title: str
    aliases: list[str]
    cwes: list[str]
    severity: Severity
    visibility: Visibility


class EnvironmentShape(_Shape):
    """How the project was installed and tested, and where each was read."""

    language: str
    manager: str
    runner: str
    install: list[str]
    test: str
    origins: dict[str, str]


class BaselineShape(_Shape):
    """The tests before any change."""

    passed: int
    failed: int
    skipped: int
    complete: bool
    known_failures: list[str]


class ChunkShape(_Shape):
    """A definition in a ranked file; lines count from 1, both ends included."""

    name: str
    kind: str
    start_line: int
    end_line: int
    score: float


class FileShape(_Shape):
    """A ranked file, best first."""

    path: str
    score: float
    signals: dict[str, float]
    chunks: list[ChunkShape]


class ProofShape(_Shape):
    """The proof of concept that showed the flaw."""

    origin: str
    language: str
    command: list[str]
    code: str


class DeclinedShape(_Shape):
    """Where a rule saw the weakness and did not change it."""

    source: str
    path: str
    line: int
    reason: str


class RowShape(_Shape):
    """One row of the validation matrix."""

    kind: RowKind
    name: str
    expected: str
    before: str
    after: str
    status: RowStatus
    required: bool
    command: str
    detail: str


class MatrixShape(_Shape):
    """``matrix.json``."""

    schema_version: Literal[1]
    run_id: str
    rows: list[RowShape]


class PatchShape(_Shape):
    """The patch behind the outcome."""

    origin: Origin
    source: str
    rationale: str
    files: list[str]
    lines_added: int
    lines_removed: int


class RunShape(_Shape):
    """``run.json``."""

    schema_version: Literal[1]
    run_id: str
    suture_version: str
    started_at: str
    seconds: float
    outcome: Outcome
    reason: str
    unsafe: bool
    report: ReportShape
    stages: list[StageShape]
    environment: EnvironmentShape | None
    baseline: BaselineShape | None
    files: list[FileShape]
    covered: list[str]
    proof: ProofShape | None
    declined: list[DeclinedShape]
    matrix: list[RowShape]
    patch: PatchShape | None
    cost: CostShape
    notices: list[str]
