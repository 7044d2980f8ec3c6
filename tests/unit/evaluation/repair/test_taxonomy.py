from __future__ import annotations

import pytest

from agent.domain.run import Outcome
from evaluation.ports import RepairAnswer
from evaluation.repair.phases import PhaseStatus
from evaluation.repair.taxonomy import Ending, judge_run
from tests.repair_cases import build_case, build_phases

PATCH = {"shelf/__init__.py": b"new\n"}


def answer(outcome: Outcome = Outcome.FIXED, **fields: object) -> RepairAnswer:
    known: dict[str, object] = {"reason": "said so", "changes": PATCH if outcome is Outcome.FIXED else {}}
    return RepairAnswer(outcome=outcome, **(known | fields))  # type: ignore[arg-type]


def test_only_four_passed_phases_resolve() -> None:
    assert judge_run(build_case(), answer(), build_phases()).ending is Ending.RESOLVED


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        ({"build": PhaseStatus.FAILED}, Ending.BUILD),
        ({"proof": PhaseStatus.FAILED, "developer": PhaseStatus.FAILED}, Ending.PROOF),
        ({"regression": PhaseStatus.FAILED}, Ending.REGRESSION),
        ({"developer": PhaseStatus.FAILED}, Ending.DEVELOPER),
        ({"developer": PhaseStatus.MISSING}, Ending.DEVELOPER),
        ({"regression": PhaseStatus.TIMEOUT}, Ending.TIMEOUT),
        ({"proof": PhaseStatus.FAILED, "developer": PhaseStatus.PIPELINE}, Ending.PIPELINE),
    ],
)
def test_the_first_phase_that_fails_names_the_ending_and_faults_go_before_it(
    phases: dict[str, PhaseStatus], expected: Ending
) -> None:
    assert judge_run(build_case(), answer(), build_phases(**phases)).ending is expected


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome.ENVIRONMENT_FAILED, Ending.ENVIRONMENT),
        (Outcome.NOT_REPRODUCED, Ending.NOT_REPRODUCED),
        (Outcome.ALREADY_FIXED, Ending.NOT_REPRODUCED),
        (Outcome.NO_PATCH, Ending.NO_PATCH),
        (Outcome.DECLINED, Ending.NO_PATCH),
        (Outcome.BUDGET_EXHAUSTED, Ending.BUDGET),
        (Outcome.CANCELLED, Ending.TIMEOUT),
        (Outcome.ERROR, Ending.PIPELINE),
    ],
)
def test_a_run_without_a_patch_is_named_by_its_own_outcome(outcome: Outcome, expected: Ending) -> None:
    assert judge_run(build_case(), answer(outcome), ()).ending is expected


def test_a_patch_elsewhere_that_fails_was_written_in_the_wrong_file() -> None:
    elsewhere = answer(changes={"setup.py": b""})

    assert (
        judge_run(build_case(), elsewhere, build_phases(proof=PhaseStatus.FAILED)).ending is Ending.WRONG_FILE
    )
    assert judge_run(build_case(), elsewhere, build_phases()).ending is Ending.RESOLVED


def test_no_patch_after_a_ranking_without_the_right_file_is_a_wrong_file() -> None:
    ranked = tuple(f"{number}.py" for number in range(10))

    wrong = judge_run(build_case(), answer(Outcome.NO_PATCH, ranked=(*ranked, "shelf/__init__.py")), ())
    right = judge_run(build_case(), answer(Outcome.NO_PATCH, ranked=("shelf/__init__.py",)), ())

    assert (wrong.ending, right.ending) == (Ending.WRONG_FILE, Ending.NO_PATCH)


def test_a_refusal_of_the_reviewer_has_its_own_name() -> None:
    refused = answer(Outcome.NO_PATCH, refused_by="review")

    assert judge_run(build_case(), refused, ()).ending is Ending.REVIEWER


def test_a_case_that_is_not_valid_resolves_nothing() -> None:
    judged = judge_run(build_case(), answer(), build_phases(), invalid=("upstream fix: proof must pass",))

    assert (judged.ending, judged.reason) == (Ending.BASELINE, "upstream fix: proof must pass")


def test_an_oracle_that_stopped_early_is_a_fault_of_the_pipeline() -> None:
    assert judge_run(build_case(), answer(), build_phases()[:2]).ending is Ending.PIPELINE
