from __future__ import annotations

import pytest

from agent.domain.execution import KillReason
from agent.domain.proof import Verdict
from evaluation.repair.phases import OraclePhase, PhaseStatus, all_passed, not_run, read_proof, read_tests
from tests.repair_cases import build_end, build_phases

PYTEST = "cd x && pytest -q tests"


@pytest.mark.parametrize(
    ("line", "code", "expected"),
    [
        (PYTEST, 0, PhaseStatus.PASSED),
        (PYTEST, 1, PhaseStatus.FAILED),
        (PYTEST, 2, PhaseStatus.FAILED),
        (PYTEST, 3, PhaseStatus.PIPELINE),
        (PYTEST, 4, PhaseStatus.PIPELINE),
        (PYTEST, 5, PhaseStatus.PIPELINE),
        ("mocha test", 4, PhaseStatus.FAILED),
        ("mocha test", 126, PhaseStatus.PIPELINE),
        ("mocha test", 127, PhaseStatus.PIPELINE),
        ("python -m pytest-like", 3, PhaseStatus.FAILED),
    ],
)
def test_only_codes_that_speak_of_tests_are_held_against_a_patch(
    line: str, code: int, expected: PhaseStatus
) -> None:
    assert read_tests(OraclePhase.REGRESSION, line, build_end(code)).status is expected


def test_a_runner_that_npx_would_have_to_download_is_no_failed_patch() -> None:
    end = build_end(1, stderr="npm error code ENOTCACHED\n")

    assert read_tests(OraclePhase.DEVELOPER, "npx mocha", end).status is PhaseStatus.PIPELINE


@pytest.mark.parametrize(
    ("killed", "expected"),
    [(KillReason.TIME, PhaseStatus.TIMEOUT), (KillReason.MEMORY, PhaseStatus.FAILED)],
)
def test_a_command_that_was_stopped_never_passes(killed: KillReason, expected: PhaseStatus) -> None:
    assert read_tests(OraclePhase.REGRESSION, PYTEST, build_end(None, killed=killed)).status is expected


def test_the_proof_passes_only_when_every_run_agrees() -> None:
    result = read_proof([Verdict.SAFE] * 10, Verdict.SAFE, 10, seconds=1, tail="")

    assert (result.status, result.reason) == (PhaseStatus.PASSED, "safe 10 of 10 times")


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ([Verdict.SAFE, Verdict.VULNERABLE], "expected safe, saw vulnerable in run 2"),
        ([Verdict.INCONCLUSIVE], "expected safe, saw inconclusive in run 1"),
        ([Verdict.SAFE] * 9, "expected safe, saw only 9 runs"),
    ],
)
def test_inconclusive_and_missing_runs_are_not_safe(verdicts: list[Verdict], said: str) -> None:
    result = read_proof(verdicts, Verdict.SAFE, 10, seconds=1, tail="")

    assert (result.status, result.reason) == (PhaseStatus.FAILED, said)


def test_all_four_phases_are_needed() -> None:
    assert all_passed(build_phases())
    assert not all_passed(build_phases()[:3])
    assert not all_passed(build_phases(developer=PhaseStatus.MISSING))
    assert not all_passed((*build_phases()[:3], not_run(OraclePhase.DEVELOPER, "no")))
