"""Execute the rows of the validation matrix for one candidate.

Cheap rows come first; once a required row failed, the test suite is not run and its row stays unverified.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.domain.matrix import Matrix, Row, RowKind, RowStatus
from agent.domain.proof import Verdict
from agent.patches.scope import scope_violations
from agent.workflow.honesty import honesty_row
from agent.workflow.proving import observe, observe_times
from agent.workflow.reach import suite_reaches
from agent.workflow.regression import regression_row
from agent.workflow.syntax import syntax_row
from agent.workflow.weakness import weakness_rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from agent.domain.patch import Candidate
    from agent.domain.project import Environment
    from agent.workflow.state import Case, RunState, Tools


async def build_matrix(
    candidate: Candidate,
    diff: str,
    before: Mapping[str, bytes | None],
    copy: Path,
    state: RunState,
    tools: Tools,
) -> Matrix:
    """Run every row on ``copy``, the patched tree, and return the matrix."""
    environment = state.environment
    if environment is None:
        raise AssertionError("the environment stage comes first")
    rows = [_scope_row(candidate, before, diff, state, tools)]
    rows.append(await syntax_row(candidate, copy, environment, state, tools))
    if not _failed(rows):
        rows += await weakness_rows(candidate, state, tools)
        rows += await _proof_rows(copy, environment, state, tools)
    if not _failed(rows) and state.proof is not None:
        rows.append(await honesty_row(state.proof, candidate, before, environment, tools))
    for case in state.cases:
        if _failed(rows) and not case.variant.benign:
            skipped = _not_run(_case_kind(case), case.variant.name)
            rows.append(dataclasses.replace(skipped, required=case.variant.required))
        else:
            rows.append(await _case_row(case, copy, environment, tools))
    if _failed(rows):
        rows.append(_not_run(RowKind.REGRESSION, "the project's tests"))
    else:
        row = await regression_row(copy, before, environment, state, tools)
        if _is_alone(row, rows, state) and not await suite_reaches(
            candidate.changes, copy, environment, state, tools
        ):
            row = _says_nothing(row)
        rows.append(row)
    rows.append(_review_row())
    return Matrix(rows=tuple(rows))


def _is_alone(regression: Row, rows: list[Row], state: RunState) -> bool:
    """Tell whether nothing but the suite shows that ordinary use still works."""
    passed = regression.status is RowStatus.PASSED and state.reproduced
    return passed and not any(row.kind is RowKind.BENIGN and row.required for row in rows)


def _says_nothing(regression: Row) -> Row:
    return dataclasses.replace(
        regression,
        status=RowStatus.UNVERIFIED,
        required=False,
        after=f"{regression.after}, but none runs the code in question",
    )


def _failed(rows: list[Row]) -> bool:
    return any(row.required and row.status is RowStatus.FAILED for row in rows)


def _scope_row(
    candidate: Candidate, before: Mapping[str, bytes | None], diff: str, state: RunState, tools: Tools
) -> Row:
    planned = frozenset(file.path for file in state.files) | candidate.planned
    found = scope_violations(candidate, before, diff, planned=planned, limits=tools.config.scope)
    return Row(
        kind=RowKind.SCOPE,
        name="the patch keeps within its scope",
        expected="only files that were found, small, no configuration",
        before="",
        after="; ".join(found) or "within scope",
        status=RowStatus.FAILED if found else RowStatus.PASSED,
        command="git diff --stat",
    )


async def _proof_rows(copy: Path, environment: Environment, state: RunState, tools: Tools) -> list[Row]:
    if state.proof is None or state.observed is None:
        return []
    seen = await observe_times(
        state.proof, copy, environment, tools, tools.config.proof_runs, wanted=Verdict.SAFE
    )
    safe = sum(1 for item in seen if item.verdict is Verdict.SAFE)
    passed = safe == tools.config.proof_runs
    return [
        Row(
            kind=RowKind.PROOF,
            name="the proof of concept",
            expected=f"safe {tools.config.proof_runs} of {tools.config.proof_runs} times",
            before=f"vulnerable {tools.config.reproduce_runs} of {tools.config.reproduce_runs} times",
            after=f"safe {safe} of {len(seen)} times"
            if passed
            else f"{seen[-1].verdict.value}, run {len(seen)}",
            status=RowStatus.PASSED if passed else RowStatus.FAILED,
            command=" ".join(state.proof.argv),
            detail="" if passed else _tail(seen[-1].execution.stdout + seen[-1].execution.stderr),
        )
    ]


def _case_kind(case: Case) -> RowKind:
    return RowKind.BENIGN if case.variant.benign else RowKind.VARIANT


async def _case_row(case: Case, copy: Path, environment: Environment, tools: Tools) -> Row:
    """Run one case: a variant must read safe, a benign control must end and print as it did before."""
    seen = await observe(case.variant.proof, copy, environment, tools)
    if case.variant.benign:
        same = seen.execution.stdout == case.before.execution.stdout
        passed = seen.verdict is case.before.verdict and same
        after = f"{seen.verdict.value}, {'same' if same else 'other'} output"
        expected = f"{case.before.verdict.value}, same output"
    else:
        passed = seen.verdict is Verdict.SAFE
        after, expected = seen.verdict.value, Verdict.SAFE.value
    return Row(
        kind=_case_kind(case),
        name=case.variant.name,
        expected=expected,
        before=case.before.verdict.value,
        after=after,
        status=RowStatus.PASSED if passed else RowStatus.FAILED,
        required=case.variant.required,
        command=" ".join(case.variant.proof.argv),
        detail="" if passed else _tail(seen.execution.stdout + seen.execution.stderr),
    )


def _not_run(kind: RowKind, name: str) -> Row:
    return Row(
        kind=kind,
        name=name,
        expected="",
        before="",
        after="not run, an earlier row failed",
        status=RowStatus.UNVERIFIED,
    )


def _review_row() -> Row:
    return Row(
        kind=RowKind.REVIEW,
        name="independent review",
        expected="a reviewer finds no way around the patch",
        before="",
        after="no model configured",
        status=RowStatus.UNVERIFIED,
        required=False,
    )


def _tail(text: str, lines: int = 12) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])[-1500:]
