"""Turn a run's result into its published shape."""

from __future__ import annotations

import dataclasses
from importlib.metadata import version
from typing import TYPE_CHECKING

from agent.domain.project import TestStatus
from agent.domain.run import SCHEMA_VERSION
from agent.patches.scope import diff_size
from bot.output.schema import (
    BaselineShape,
    ChunkShape,
    CostShape,
    DeclinedShape,
    EnvironmentShape,
    FileShape,
    MatrixShape,
    PatchShape,
    ProofShape,
    ReportShape,
    RowShape,
    RunShape,
    StageShape,
)

if TYPE_CHECKING:
    from datetime import datetime

    from agent.domain.report import Report
    from agent.domain.run import Cost, RunResult
    from retrieval.domain import RankedFile


def shape_run(result: RunResult, report: Report, *, started_at: datetime, seconds: float) -> RunShape:
    """Return ``run.json`` for a result; ``seconds`` is the whole run's wall time."""
    return RunShape(
        schema_version=SCHEMA_VERSION,
        run_id=result.run_id,
        suture_version=version("suture"),
        started_at=started_at.isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        outcome=result.outcome,
        reason=result.reason,
        unsafe=result.unsafe,
        report=_report(report),
        stages=_stages(result),
        environment=_environment(result),
        baseline=_baseline(result),
        files=[_file(file) for file in result.files],
        covered=sorted(result.covered),
        proof=_proof(result),
        declined=[DeclinedShape(**dataclasses.asdict(item)) for item in result.declined],
        matrix=_rows(result),
        patch=_patch(result),
        cost=_cost(result.cost),
        notices=list(result.notices),
    )


def shape_matrix(result: RunResult) -> MatrixShape:
    """Return ``matrix.json`` for a result."""
    return MatrixShape(schema_version=SCHEMA_VERSION, run_id=result.run_id, rows=_rows(result))


def _report(report: Report) -> ReportShape:
    return ReportShape(
        id=report.id,
        title=report.title,
        aliases=list(report.aliases),
        cwes=list(report.cwes),
        severity=report.severity,
        visibility=report.visibility,
    )


def _cost(cost: Cost) -> CostShape:
    return CostShape(**dataclasses.asdict(cost))


def _stages(result: RunResult) -> list[StageShape]:
    return [
        StageShape(
            stage=record.stage,
            result=record.result,
            summary=record.summary,
            seconds=round(record.seconds, 3),
            cost=_cost(record.cost),
        )
        for record in result.stages
    ]


def _environment(result: RunResult) -> EnvironmentShape | None:
    plan = result.plan
    if plan is None:
        return None
    return EnvironmentShape(
        language=plan.language,
        manager=plan.manager,
        runner=plan.runner,
        install=list(plan.install),
        test=plan.test,
        origins=dict(plan.origins),
    )


def _baseline(result: RunResult) -> BaselineShape | None:
    run = result.baseline
    if run is None:
        return None
    failing = [
        test for test, status in run.results.items() if status in {TestStatus.FAILED, TestStatus.ERROR}
    ]
    return BaselineShape(
        passed=run.count(TestStatus.PASSED),
        failed=len(failing),
        skipped=run.count(TestStatus.SKIPPED),
        complete=run.complete,
        known_failures=sorted(failing),
    )


def _file(file: RankedFile) -> FileShape:
    return FileShape(
        path=file.path,
        score=round(file.score, 4),
        signals={name: round(value, 4) for name, value in file.signals.items()},
        chunks=[
            ChunkShape(
                name=chunk.name,
                kind=chunk.kind,
                start_line=chunk.start_line,
                end_line=chunk.end_line,
                score=round(chunk.score, 4),
            )
            for chunk in file.chunks
        ],
    )


def _proof(result: RunResult) -> ProofShape | None:
    proof = result.proof
    if proof is None:
        return None
    return ProofShape(origin=proof.origin, language=proof.language, command=list(proof.argv), code=proof.code)


def _rows(result: RunResult) -> list[RowShape]:
    rows = result.matrix.rows if result.matrix else ()
    return [RowShape(**dataclasses.asdict(row)) for row in rows]


def _patch(result: RunResult) -> PatchShape | None:
    candidate = result.candidate
    if candidate is None:
        return None
    size = diff_size(result.diff)
    return PatchShape(
        origin=candidate.origin,
        source=candidate.source,
        rationale=candidate.rationale,
        files=sorted(candidate.changes),
        lines_added=size.added,
        lines_removed=size.removed,
    )
