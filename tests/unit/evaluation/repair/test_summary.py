from __future__ import annotations

import pytest

from evaluation.repair.memory import Recall
from evaluation.repair.phases import OraclePhase, PhaseStatus
from evaluation.repair.stored import PhaseShape
from evaluation.repair.summary import duel, summarise
from evaluation.repair.taxonomy import Ending
from tests.repair_cases import build_case, build_finding, build_phases, build_result

FOUR = [build_case(id=f"C-{number}", cwe=f"CWE-{number % 2}") for number in range(4)]


def unresolved(case_id: str, **changes: object) -> object:
    phases = [PhaseShape.of(phase) for phase in build_phases(developer=PhaseStatus.FAILED)]
    known = {"case_id": case_id, "ending": Ending.DEVELOPER, "phases": phases}
    return build_result(**(known | changes))


def test_every_case_is_below_every_rate() -> None:
    results = [
        build_result(case_id="C-0"),
        unresolved("C-1"),
        build_result(case_id="C-2", ending=Ending.PIPELINE, phases=[]),
        build_result(case_id="C-3", ending=Ending.NO_PATCH, phases=[]),
    ]

    summary = summarise(FOUR, results)  # type: ignore[arg-type]

    assert (summary.resolved.passed, summary.resolved.cases) == (1, 4)
    assert {rate.name: (rate.passed, rate.cases) for rate in summary.phases} == {
        "build": (2, 4),
        "proof": (2, 4),
        "regression": (2, 4),
        "developer": (1, 4),
    }
    assert summary.proof_alone == ("C-1",)
    assert summary.resolved.interval.low < 0.25 < summary.resolved.interval.high


def test_repetitions_are_averaged_a_case_and_spread_over_runs() -> None:
    results = [
        build_result(case_id="C-0", repetition=1),
        build_result(case_id="C-0", repetition=2, ending=Ending.NO_PATCH),
        build_result(case_id="C-1", repetition=1),
        build_result(case_id="C-1", repetition=2),
    ]

    summary = summarise(FOUR[:2], results)

    assert (summary.resolved.passed, summary.repetitions, summary.runs) == (1.5, 2, 4)
    assert (summary.repeated.mean, summary.repeated.deviation) == pytest.approx((0.75, 0.3535533))


def test_results_are_split_by_memory_and_date_only_when_known() -> None:
    known = summarise(
        FOUR[:2],
        [
            build_result(case_id="C-0", recall=Recall.RECALLED, before_cutoff=True),
            build_result(
                case_id="C-1", recall=Recall.NOT_RECALLED, before_cutoff=None, ending=Ending.NO_PATCH
            ),
        ],
    )
    unknown = summarise(FOUR[:1], [build_result(case_id="C-0")])

    assert [(rate.name, rate.passed) for rate in known.groups["memory of the fix"]] == [
        ("not_recalled", 0),
        ("recalled", 1),
    ]
    assert [rate.name for rate in known.groups["fix date"]] == ["before the model's cut-off", "unknown"]
    assert (unknown.groups["memory of the fix"], unknown.groups["fix date"]) == ((), ())


def test_costs_are_given_a_run_and_a_success() -> None:
    paid = summarise(
        FOUR[:2],
        [
            build_result(case_id="C-0", money=1.0, tokens_in=10, calls=2, seconds=20),
            build_result(case_id="C-1", money=0.5, tokens_out=5, calls=1, seconds=40, ending=Ending.NO_PATCH),
        ],
    ).spending
    failed = summarise(FOUR[:1], [build_result(case_id="C-0", ending=Ending.PROOF)]).spending

    assert (paid.money, paid.tokens, paid.calls, paid.money_per_run, paid.money_per_success) == (
        1.5,
        15,
        3,
        0.75,
        1.5,
    )
    assert (paid.seconds.mean, paid.seconds_per_success) == (30, 60)
    assert (failed.money_per_success, failed.seconds_per_success) == (None, None)


def test_runs_that_the_audit_marks_are_named() -> None:
    marked = build_result(case_id="C-0", findings=[build_finding()])
    hidden = build_result(case_id="C-1", unpriced_calls=1)

    assert summarise(FOUR[:2], [marked, hidden]).flagged == ("C-0, run 1", "C-1, run 1")


def test_a_case_without_result_is_an_error_and_not_a_smaller_denominator() -> None:
    with pytest.raises(ValueError, match="each case needs its results"):
        summarise(FOUR, [build_result(case_id="C-0")])


def test_two_configurations_are_compared_on_the_cases_they_share() -> None:
    ours = [build_result(case_id=f"C-{number}") for number in range(6)]
    theirs = [
        build_result(case_id=f"C-{number}", ending=Ending.RESOLVED if number == 0 else Ending.PROOF)
        for number in range(6)
    ] + [build_result(case_id="other")]

    found = duel(ours, theirs)

    assert (found.only_ours, found.only_theirs, found.both, found.neither) == (
        ("C-1", "C-2", "C-3", "C-4", "C-5"),
        (),
        1,
        0,
    )
    assert found.p_value == pytest.approx(2 / 32)


def test_phases_are_counted_alone() -> None:
    summary = summarise(FOUR[:1], [unresolved("C-0")])  # type: ignore[list-item]

    assert [rate.passed for rate in summary.phases if rate.name == OraclePhase.DEVELOPER.value] == [0]
