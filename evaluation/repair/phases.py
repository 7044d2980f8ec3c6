"""The four phases of the oracle and how a command's end is read as one. Pure.

A missing developer test is not a pass, a test runner that never ran the tests is no failed patch, and a command
that had to be stopped is never a success.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.domain.execution import Execution
    from agent.domain.proof import Verdict


class OraclePhase(StrEnum):
    """What is asked of a patch, in this order."""

    BUILD = "build"
    PROOF = "proof"
    REGRESSION = "regression"
    DEVELOPER = "developer"


class PhaseStatus(StrEnum):
    """``PIPELINE``: the bench failed, not the patch. ``MISSING``: there is nothing to ask with; no pass."""

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    PIPELINE = "pipeline"
    MISSING = "missing"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseResult:
    """How one phase ended: one line why, the time it took and the end of what it printed."""

    phase: OraclePhase
    status: PhaseStatus
    reason: str
    seconds: float = 0.0
    tail: str = ""


PYTEST = re.compile(r"(?:^|[\s;&|/])(?:pytest|py\.test)(?:\s|$)")
PYTEST_FAILING = frozenset({1, 2})
NOT_STARTED = {126: "the test command cannot be executed", 127: "the test command was not found"}
NPX_MISSING = re.compile(
    r"npm (?:ERR!|error) (?:code )?(?:ENOTCACHED|EAI_AGAIN|ENOTFOUND|could not determine)"
)
TAIL = 4_000


def tail_of(execution: Execution) -> str:
    """Return the end of what a command printed on both streams."""
    return f"{execution.stdout[-TAIL:]}\n{execution.stderr[-TAIL:]}".strip()


def read_tests(phase: OraclePhase, line: str, execution: Execution) -> PhaseResult:
    """Read the end of a test command.

    pytest: only 1 (tests failed) and 2 (interrupted) speak of the patch; 3, 4 and 5 of the call. Other runners
    end with any other code than 0 when a test fails; 126 and 127 mean that they were never started.
    """
    status, reason = _test_status(line, execution)
    return PhaseResult(
        phase=phase, status=status, reason=reason, seconds=execution.seconds, tail=tail_of(execution)
    )


def _test_status(line: str, execution: Execution) -> tuple[PhaseStatus, str]:
    code = execution.exit_code
    if execution.timed_out:
        return PhaseStatus.TIMEOUT, f"the tests did not end within {execution.seconds:.0f} s"
    if execution.killed_by is not None or code is None:
        return PhaseStatus.FAILED, f"the tests were stopped by the {execution.killed_by or 'sandbox'} limit"
    if code == 0:
        return PhaseStatus.PASSED, "every test passed"
    if (fault := _never_ran(line, code, execution.stderr)) is not None:
        return PhaseStatus.PIPELINE, fault
    return PhaseStatus.FAILED, f"tests fail (exit {code})"


def _never_ran(line: str, code: int, stderr: str) -> str | None:
    """Return why the tests were not run at all, None when they were."""
    if code in NOT_STARTED:
        return NOT_STARTED[code]
    if NPX_MISSING.search(stderr):
        return "npx wanted to download the test runner; it is not installed"
    if PYTEST.search(line) and code not in PYTEST_FAILING:
        return f"pytest did not run the tests (exit {code})"
    return None


def read_proof(
    verdicts: Sequence[Verdict], wanted: Verdict, times: int, *, seconds: float, tail: str
) -> PhaseResult:
    """Read runs of the proof: it passes only when all ``times`` gave ``wanted``."""
    agreeing = sum(1 for verdict in verdicts if verdict is wanted)
    if len(verdicts) == times == agreeing:
        status, reason = PhaseStatus.PASSED, f"{wanted.value} {times} of {times} times"
    else:
        other = next((verdict for verdict in verdicts if verdict is not wanted), None)
        seen = f"{other.value} in run {verdicts.index(other) + 1}" if other else f"only {len(verdicts)} runs"
        status, reason = PhaseStatus.FAILED, f"expected {wanted.value}, saw {seen}"
    return PhaseResult(phase=OraclePhase.PROOF, status=status, reason=reason, seconds=seconds, tail=tail)


def not_run(phase: OraclePhase, reason: str) -> PhaseResult:
    """Return the result of a phase that there was no point in running."""
    return PhaseResult(phase=phase, status=PhaseStatus.NOT_RUN, reason=reason)


def all_passed(phases: Sequence[PhaseResult]) -> bool:
    """Tell whether every one of the four phases passed."""
    passed = {result.phase for result in phases if result.status is PhaseStatus.PASSED}
    return passed == set(OraclePhase)
