"""What a model's patch must show beside its proof."""

from __future__ import annotations

import pytest

from agent.domain.matrix import Matrix, Row, RowKind, RowStatus
from agent.domain.patch import Origin
from agent.domain.run import Outcome
from agent.workflow.acceptance import decide


def build_row(kind: RowKind, status: RowStatus = RowStatus.PASSED, *, required: bool = True) -> Row:
    return Row(
        kind=kind, name=kind.value, expected="safe", before="vulnerable", after="safe", status=status, required=required
    )  # fmt: skip


SHOWN = (build_row(RowKind.PROOF), build_row(RowKind.REGRESSION))


@pytest.mark.parametrize("kind", [RowKind.VARIANT, RowKind.REVIEW])
def test_another_attack_or_a_review_makes_a_models_patch_a_fix(kind: RowKind) -> None:
    decision = decide(Matrix(rows=(*SHOWN, build_row(kind))), reproduced=True, origin=Origin.MODEL)
    assert (decision.accepted, decision.outcome) == (True, Outcome.FIXED)


@pytest.mark.parametrize(
    "rows", [SHOWN, (*SHOWN, build_row(RowKind.REVIEW, RowStatus.UNVERIFIED, required=False))]
)
def test_a_models_patch_that_only_answers_its_proof_is_refused(rows: tuple[Row, ...]) -> None:
    decision = decide(Matrix(rows=rows), reproduced=True, origin=Origin.MODEL)
    assert (decision.accepted, "beyond its proof" in decision.reason) == (False, True)


@pytest.mark.parametrize("origin", [Origin.RULE, Origin.UPSTREAM])
def test_a_rule_and_an_upstream_fix_need_no_more_than_before(origin: Origin) -> None:
    assert decide(Matrix(rows=SHOWN), reproduced=True, origin=origin).accepted


@pytest.mark.parametrize("kind", [RowKind.VARIANT, RowKind.REVIEW])
def test_a_row_that_only_informs_is_no_evidence_for_a_models_patch(kind: RowKind) -> None:
    """A model may write the variants too; one that was not found to pass the sink proves nothing."""
    weak = build_row(kind, required=False)
    assert not decide(Matrix(rows=(*SHOWN, weak)), reproduced=True, origin=Origin.MODEL).accepted


def test_a_control_that_only_informs_shows_no_ordinary_use() -> None:
    weak = build_row(RowKind.BENIGN, required=False)
    decision = decide(Matrix(rows=(build_row(RowKind.PROOF), weak)), reproduced=True)
    assert (decision.accepted, "ordinary use" in decision.reason) == (False, True)
