"""The four phases on a real flaw in a real sandbox."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from evaluation.repair.oracle import OracleLimits
from evaluation.repair.phases import OraclePhase, PhaseStatus, all_passed
from evaluation.repair.posing import Bench, pose
from evaluation.repair.validating import Validator
from evaluation.repair.validation import Probe, validate
from tests.fakes.bench import RecordedProgress, SystemPython
from tests.projects import PYTHON
from tests.repair_cases import FIXED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evaluation.repair.case import Case
    from evaluation.repair.phases import PhaseResult
    from tests.integration.evaluation.conftest import Ground

SOURCE = "shelf/__init__.py"
SUPPRESSED = PYTHON[SOURCE].replace(
    "    with open", '    if name == "../secret.txt":\n        raise ValueError(name)\n    with open'
)
REMOVED = '"""Keeps documents."""\n\n\ndef read(folder, name):\n    raise ValueError(name)\n'
BROKEN_TEST = "tests/test_shelf.py"


async def judged(case: Case, bench: Bench, changes: Mapping[str, bytes | None]) -> dict[str, str]:
    with pose(case, bench) as posed:
        return shown(await posed.judge.judge(changes))


def shown(phases: tuple[PhaseResult, ...]) -> dict[str, str]:
    return {result.phase.value: result.status.value for result in phases}


async def test_the_upstream_fix_passes_all_four_phases(ground: Ground) -> None:
    with pose(ground.case, ground.bench) as posed:
        assert all_passed(await posed.judge.judge(posed.fix))


async def test_an_empty_patch_is_refused_by_the_proof(ground: Ground) -> None:
    found = await judged(ground.case, ground.bench, {})

    assert (found["build"], found["proof"], found["regression"]) == ("passed", "failed", "passed")


async def test_suppressing_the_symptom_passes_the_proof_and_nothing_more(ground: Ground) -> None:
    """The weak oracle: a proof alone would believe this patch."""
    found = await judged(ground.case, ground.bench, {SOURCE: SUPPRESSED.encode()})

    assert found == {"build": "passed", "proof": "passed", "regression": "passed", "developer": "failed"}


async def test_removing_the_feature_is_no_repair(ground: Ground) -> None:
    found = await judged(ground.case, ground.bench, {SOURCE: REMOVED.encode()})

    assert (found["proof"], found["regression"]) == ("failed", "failed")


async def test_what_cannot_be_parsed_fails_the_build_and_runs_nothing_else(ground: Ground) -> None:
    found = await judged(ground.case, ground.bench, {SOURCE: b"def read(:\n"})

    assert found == {"build": "failed", "proof": "not_run", "regression": "not_run", "developer": "not_run"}


async def test_a_patch_cannot_switch_the_tests_off(ground: Ground) -> None:
    """Old tests are put back, and a new file that steers tests is left out."""
    changes = {SOURCE: REMOVED.encode(), BROKEN_TEST: b"", "sitecustomize.py": b"import os\nos._exit(0)\n"}

    found = await judged(ground.case, ground.bench, changes)

    assert found["regression"] == "failed"


async def test_a_collision_with_the_developers_tests_is_a_fault_of_the_pipeline(ground: Ground) -> None:
    ours = PYTHON[BROKEN_TEST] + "\n    def test_ours(self):\n        pass\n"

    found = await judged(ground.case, ground.bench, {SOURCE: FIXED.encode(), BROKEN_TEST: ours.encode()})

    assert (found["regression"], found["developer"]) == ("passed", "pipeline")


async def test_a_missing_developer_test_is_no_pass(ground: Ground) -> None:
    case = dataclasses.replace(ground.case, developer_test="")

    assert (await judged(case, ground.bench, {SOURCE: FIXED.encode()}))["developer"] == "missing"


async def test_tests_that_never_end_are_stopped_and_do_not_pass(ground: Ground) -> None:
    case = dataclasses.replace(ground.case, regression_test="sleep 60", regression_seconds=1.0)

    assert (await judged(case, ground.bench, {SOURCE: FIXED.encode()}))["regression"] == "timeout"


async def test_a_runner_that_is_not_there_is_a_fault_of_the_pipeline(ground: Ground) -> None:
    case = dataclasses.replace(ground.case, regression_test="no-such-runner tests")

    assert (await judged(case, ground.bench, {SOURCE: FIXED.encode()}))["regression"] == "pipeline"


async def test_each_command_has_an_empty_tmpdir_of_its_own(ground: Ground) -> None:
    """What one phase leaves in TMPDIR is not there for the next, nor on the host."""
    line = 'test -z "$(ls -A "${TMPDIR:?}")" && touch "$TMPDIR/left" && ' + ground.case.regression_test
    case = dataclasses.replace(ground.case, regression_test=line, developer_test=line)

    found = await judged(case, ground.bench, {SOURCE: FIXED.encode()})

    assert (found["regression"], found["developer"]) == ("passed", "passed")


async def test_the_phases_have_neither_network_nor_the_evaluators_folder(ground: Ground) -> None:
    lines = [
        "! python3 -c \"import socket; socket.create_connection(('1.1.1.1', 53), 3)\" 2>/dev/null",
        f"! test -e {ground.cases}",
        "test $(id -u) -ne 0",
        "! test -e /work/.git",
    ]
    case = dataclasses.replace(ground.case, regression_test=" && ".join(lines))

    assert (await judged(case, ground.bench, {SOURCE: FIXED.encode()}))["regression"] == "passed"


@pytest.mark.parametrize(
    ("retryable", "changes", "expected"),
    [
        (True, {SOURCE: b"x = 1\n"}, "pipeline"),
        (False, {SOURCE: b"x = 1\n"}, "failed"),
        (False, {}, "pipeline"),
    ],
)
async def test_an_install_that_fails_is_held_against_a_patch_only_when_it_may_be_its_fault(
    ground: Ground, retryable: bool, changes: dict[str, bytes | None], expected: str
) -> None:
    toolchain = SystemPython(broken="no such package", retryable=retryable)
    bench = dataclasses.replace(ground.bench, toolchains=(toolchain,))

    assert (await judged(ground.case, bench, changes))["build"] == expected


async def test_a_sound_case_holds(ground: Ground) -> None:
    told: list[str] = []
    with pose(ground.case, ground.bench) as posed:
        validation = await validate(posed.judge, posed.fix, told.append)

    assert validation.wrong == ()
    assert told == [probe.value for probe in Probe]
    refused = {probed.probe: probed.phases for probed in validation.probes}
    assert refused[Probe.DELETED][1].status is PhaseStatus.FAILED
    assert refused[Probe.EMPTY][2].status is PhaseStatus.NOT_RUN


async def test_a_case_with_a_proof_that_proves_nothing_is_named(ground: Ground) -> None:
    case = dataclasses.replace(ground.case, proof="raise SystemExit(0)\n")
    with pose(case, ground.bench) as posed:
        validation = await validate(posed.judge, posed.fix, lambda _text: None)

    assert validation.wrong == (
        "upstream fix: proof must pass, but: failed: expected safe, saw vulnerable in run 1",
    )


async def test_a_case_that_cannot_be_installed_is_tried_once(ground: Ground) -> None:
    bench = dataclasses.replace(ground.bench, toolchains=(SystemPython(broken="no such package"),))
    with pose(ground.case, bench) as posed:
        validation = await validate(posed.judge, posed.fix, lambda _text: None)

    assert [probed.probe for probed in validation.probes] == [Probe.VULNERABLE]
    assert validation.wrong[0] == "vulnerable tree: build must pass, but: pipeline: no such package"


async def test_validations_are_kept_and_made_anew_when_the_question_changes(
    ground: Ground, tmp_path: Path
) -> None:
    progress = RecordedProgress()

    async def run(bench: Bench) -> bool:
        return (await Validator(bench=bench, out=tmp_path, progress=progress).run([ground.case]))[0].holds

    assert (await run(ground.bench), await run(ground.bench)) == (True, True)
    assert progress.lines[-1] == "SHELF-1: kept: holds (kept)"
    await run(dataclasses.replace(ground.bench, limits=OracleLimits(proof_runs=3, reproduce_runs=1)))
    assert progress.lines[-1] == "SHELF-1: holds"


async def test_a_missing_repository_is_said_and_does_not_stop_the_others(
    ground: Ground, tmp_path: Path
) -> None:
    other = dataclasses.replace(ground.case, id="OTHER-1", repo="acme/none")
    validator = Validator(bench=ground.bench, out=tmp_path, progress=RecordedProgress())

    found = await validator.run([other, ground.case])

    assert [one.holds for one in found] == [False, True]
    assert found[0].wrong[0].startswith("source: the repository acme/none is not below")
    assert OraclePhase.BUILD not in {phase.phase for probed in found[0].probes for phase in probed.phases}
