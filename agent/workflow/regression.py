"""The regression row: tests compared test by test with the baseline, never by count."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from agent.domain.matrix import Row, RowKind, RowStatus
from agent.domain.project import TestStatus
from retrieval.files.kinds import FileKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from agent.domain.project import Environment, TestRun
    from agent.workflow.state import RunState, Tools

_GOOD = TestStatus.PASSED
_SHOWN = 3
_LEAST_AGAIN = 0.5
"""Both runs were stopped by the clock, on a machine with other work: the second may well be slower."""


async def regression_row(
    copy: Path,
    before_patch: Mapping[str, bytes | None],
    environment: Environment,
    state: RunState,
    tools: Tools,
) -> Row:
    """Run the suite on the patched tree; tests that newly fail are run once more to tell flaky ones apart.

    Tests that were there are run as they were: a patch that breaks something must not rewrite what would tell.
    """
    if state.baseline is None or state.toolchain is None:
        return _row(RowStatus.UNVERIFIED, "", "the project has no tests", required=False)
    seconds = min(tools.config.test_seconds, max(1.0, tools.budget.seconds_left()))
    kept = {path: old for path, old in before_patch.items() if old is not None and _is_test(path)}
    run = partial(state.toolchain.test, environment, copy, tools.sandbox, files=kept or None, seconds=seconds)
    first = await run()
    before = _counts(state.baseline)
    if first.usage_error is not None:
        return _row(RowStatus.FAILED, before, f"the test runner stopped: {first.usage_error}")
    broken = newly_failing(state.baseline, first)
    if broken:
        second = await run()
        # Only a test that was seen to pass is cleared: a run that broke off clears nothing.
        broken = frozenset(test for test in broken if second.results.get(test) is not _GOOD)
    if broken:
        names = ", ".join(sorted(broken)[:_SHOWN])
        return _row(RowStatus.FAILED, before, f"{len(broken)} newly failing: {names}")
    if not first.complete and state.baseline.complete:
        return _row(RowStatus.FAILED, before, "the tests no longer end within their time")
    if not first.complete and _share_again(state.baseline, first) < _LEAST_AGAIN:
        return _row(RowStatus.FAILED, before, f"the tests broke off much earlier: {_counts(first)}")
    return _row(RowStatus.PASSED, before, _counts(first))


def _is_test(path: str) -> bool:
    return kind_of(path) is FileKind.TEST


def newly_failing(baseline: TestRun, after: TestRun) -> frozenset[str]:
    """Return the tests that passed before and do not pass now, be it that they are skipped or vanished.

    After a run that was cut short, only tests that ran can be judged.
    """
    broken = set()
    for test, status in baseline.results.items():
        now = after.results.get(test)
        if status is not _GOOD or now is _GOOD:
            continue
        if now is not None or after.complete:
            broken.add(test)
    return frozenset(broken)


def _share_again(baseline: TestRun, after: TestRun) -> float:
    """Return which share of the tests that passed before was run again by a suite that both times broke off."""
    passed = [test for test, status in baseline.results.items() if status is _GOOD]
    return sum(test in after.results for test in passed) / len(passed) if passed else 0.0


def _counts(run: TestRun) -> str:
    failed = run.count(TestStatus.FAILED) + run.count(TestStatus.ERROR)
    return f"{run.count(_GOOD)} passed, {failed} failed"


def _row(status: RowStatus, before: str, after: str, *, required: bool = True) -> Row:
    return Row(
        kind=RowKind.REGRESSION,
        name="the project's tests",
        expected="no test that passed before fails now",
        before=before,
        after=after,
        status=status,
        required=required,
    )
