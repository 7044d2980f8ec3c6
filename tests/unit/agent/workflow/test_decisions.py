"""The transition table is whole, the acceptance rule is one function, the budget is a typed error."""

from __future__ import annotations

import inspect
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.config import BudgetLimits
from agent.domain.execution import KillReason
from agent.domain.matrix import Matrix, Row, RowKind, RowStatus
from agent.domain.proof import Verdict
from agent.domain.run import Cost, Outcome, Stage
from agent.workflow import acceptance, transitions
from agent.workflow.acceptance import decide, score
from agent.workflow.budget import Budget, BudgetExhaustedError
from agent.workflow.proving import crashed, verdict_of
from agent.workflow.transitions import ENDINGS, FIRST, TRANSITIONS, Result, next_stage
from tests.fakes.sandbox import build_execution
from tests.fakes.workflow import SteppingClock


def build_row(kind: RowKind = RowKind.PROOF, status: RowStatus = RowStatus.PASSED, **changes: object) -> Row:
    fields: dict[str, object] = {"name": kind.value, "expected": "x", "before": "", "after": "y"}
    return Row(kind=kind, status=status, **(fields | changes))  # type: ignore[arg-type]


def build_matrix(*rows: Row) -> Matrix:
    return Matrix(rows=rows)


def test_every_stage_can_be_reached_and_ends() -> None:
    """From the first stage each stage is reachable, and from each stage publishing is."""
    reached, frontier = {FIRST}, {FIRST}
    while frontier:
        frontier = {after for (stage, _), after in TRANSITIONS.items() if stage in frontier} - reached
        reached |= frontier
    assert reached == set(Stage)
    ends = {Stage.PUBLISH}
    for _ in Stage:
        ends |= {stage for (stage, _), after in TRANSITIONS.items() if after in ends}
    assert ends == set(Stage)


def test_every_way_to_publish_has_an_outcome() -> None:
    """A transition to publishing is either an accepted patch or has its ending in the table."""
    to_publish = {key for key, after in TRANSITIONS.items() if after is Stage.PUBLISH}
    assert to_publish - set(ENDINGS) == {(Stage.VALIDATE, Result.ACCEPTED)}
    assert set(ENDINGS) <= to_publish


def test_an_unknown_result_is_a_fault() -> None:
    with pytest.raises(KeyError):
        next_stage(Stage.BASELINE, Result.AGAIN)
    assert next_stage(Stage.PUBLISH, Result.PUBLISHED) is None


def test_the_diagram_names_every_stage_and_result() -> None:
    text = inspect.getdoc(transitions) or ""
    for stage, result in TRANSITIONS:
        assert stage.value in text
        assert result.value in text


PASSING = (build_row(RowKind.PROOF), build_row(RowKind.REGRESSION), build_row(RowKind.SCOPE))


def test_fixed_needs_proof_and_kept_behaviour() -> None:
    assert decide(build_matrix(*PASSING), reproduced=True).outcome is Outcome.FIXED
    assert (
        decide(build_matrix(PASSING[0], build_row(RowKind.BENIGN)), reproduced=True).outcome is Outcome.FIXED
    )
    assert not decide(build_matrix(PASSING[0]), reproduced=True).accepted
    assert not decide(build_matrix(PASSING[1]), reproduced=True).accepted
    assert not decide(build_matrix(), reproduced=True).accepted


def test_without_a_reproduced_flaw_a_patch_is_unproven() -> None:
    decision = decide(build_matrix(PASSING[1]), reproduced=False)
    assert (decision.accepted, decision.outcome) == (True, Outcome.UNPROVEN)


@given(
    st.lists(st.tuples(st.sampled_from(RowKind), st.sampled_from(RowStatus), st.booleans()), max_size=8),
    st.booleans(),
)
def test_no_failing_required_row_is_ever_accepted(
    rows: list[tuple[RowKind, RowStatus, bool]], reproduced: bool
) -> None:
    matrix = build_matrix(*(build_row(kind, status, required=required) for kind, status, required in rows))
    decision = decide(matrix, reproduced=reproduced)
    if decision.accepted:
        assert not matrix.failing
        assert (decision.outcome is Outcome.FIXED) == reproduced
    else:
        assert decision.outcome is Outcome.NO_PATCH
        assert decision.reason


def test_the_first_failure_is_named_with_the_count() -> None:
    failing = build_row(RowKind.VARIANT, RowStatus.FAILED, after="vulnerable")
    decision = decide(build_matrix(failing, failing, *PASSING), reproduced=True)
    assert decision.reason == "variant: expected x, saw vulnerable (and 1 more)"


def test_fewer_failures_then_fewer_unverified_then_smaller_wins() -> None:
    failed, unsure = (
        build_row(status=RowStatus.FAILED),
        build_row(status=RowStatus.UNVERIFIED, required=False),
    )
    order = [
        score(build_matrix(*PASSING), 3),
        score(build_matrix(*PASSING), 9),
        score(build_matrix(*PASSING, unsure), 1),
        score(build_matrix(*PASSING, failed), 1),
    ]
    assert order == sorted(order)


def test_acceptance_is_decided_in_one_place() -> None:
    """No other module of the workflow builds the outcome ``fixed``."""
    assert "Outcome.FIXED" in inspect.getsource(acceptance)
    assert "Outcome.FIXED" not in inspect.getsource(transitions)


@pytest.mark.parametrize(
    ("limits", "bound"),
    [
        (BudgetLimits(minutes=0.01), "minutes"),
        (BudgetLimits(minutes=None, money=0.5), "money"),
        (BudgetLimits(minutes=None, tokens=30), "tokens"),
        (BudgetLimits(minutes=None, calls=1), "calls"),
    ],
)
def test_each_bound_stops_the_run(limits: BudgetLimits, bound: str) -> None:
    budget = Budget(limits=limits, clock=SteppingClock())
    budget.spend(Cost(calls=1, tokens_in=20, tokens_out=10, money=0.5))
    with pytest.raises(BudgetExhaustedError) as raised:
        budget.check()
    assert raised.value.bound == bound


def test_an_unbounded_budget_never_stops() -> None:
    budget = Budget(limits=BudgetLimits(minutes=None), clock=SteppingClock())
    budget.spend(Cost(money=1e9))
    budget.check()
    assert budget.seconds_left() == float("inf")
    assert Budget(limits=BudgetLimits(minutes=1), clock=SteppingClock()).seconds_left() == 59.0


@pytest.mark.parametrize(
    ("code", "verdict"), [(0, Verdict.VULNERABLE), (1, Verdict.SAFE), (2, Verdict.INCONCLUSIVE)]
)
def test_exit_codes_of_a_proof(code: int, verdict: Verdict) -> None:
    assert verdict_of(build_execution(exit_code=code)) is verdict


@pytest.mark.parametrize("reason", list(KillReason))
def test_a_killed_proof_is_never_safe(reason: KillReason) -> None:
    for code in (0, 1, None):
        killed = build_execution(exit_code=code, killed_by=reason)
        assert verdict_of(killed) is Verdict.INCONCLUSIVE


PYTHON = 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    f()\nValueError: no\n'
NODE = "/x.js:1\nthrow new Error('x')\n^\n\nError: x\n    at Object.<anonymous> (/x.js:1:7)\n\nNode.js v20.20.2\n"


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        (PYTHON, True),
        ("warning: old\n" + PYTHON, True),
        (PYTHON.replace("no\n", "no\nsecond line of the message\n"), True),
        (NODE, True),
        ("", False),
        ("refused: ValueError no\n", False),
        ("Node.js v20 is old\nrefused\n", False),
    ],
)
def test_crashes_are_told_from_refusals(stderr: str, expected: bool) -> None:
    assert crashed(stderr) is expected
    seen = verdict_of(build_execution(exit_code=1, stderr=stderr))
    assert seen is (Verdict.INCONCLUSIVE if expected else Verdict.SAFE)


def test_costs_add_and_subtract() -> None:
    for a, b in product(range(3), repeat=2):
        first, second = Cost(calls=a, tokens_in=a, money=a), Cost(calls=b, tokens_out=b, money=b)
        assert (first + second) - second == first
