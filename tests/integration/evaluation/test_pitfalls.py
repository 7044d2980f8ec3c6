"""The nine known pitfalls of such benches, each with a scripted run that falls into it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import SandboxCommand
from agent.domain.project import BuildConfig
from agent.domain.run import Cost, Outcome
from agent.errors import SandboxFaultError
from agent.trajectory import JSONLinesTrajectory, RecordingSandbox
from evaluation.errors import EvaluationError
from evaluation.repair.conditions import Conditions, Shown
from evaluation.repair.memory import Recall
from evaluation.repair.running import RepairBench
from evaluation.repair.taxonomy import Ending
from evaluation.repair.validating import Validator
from tests.fakes.bench import RecordedProgress, ScriptedRepairer, build_answer
from tests.repair_cases import FIXED, FIXED_LINE, PROOF

if TYPE_CHECKING:
    from pathlib import Path

    from agent.ports import Sandbox
    from evaluation.ports import RepairAnswer, RepairTask
    from evaluation.repair.case import Case
    from evaluation.repair.results import ResultShape
    from tests.fakes.bench import Script
    from tests.integration.evaluation.conftest import Ground

SOURCE = "shelf/__init__.py"
GOOD = build_answer({SOURCE: FIXED.encode()}, ranked=("setup.py", SOURCE))


def build_bench(ground: Ground, out: Path, repairer: ScriptedRepairer, **changes: object) -> RepairBench:
    known: dict[str, object] = {
        "bench": ground.bench,
        "repairer": repairer,
        "conditions": Conditions(),
        "out": out,
        "progress": RecordedProgress(),
        "hidden": (ground.cases, ground.repositories),
    }
    return RepairBench(**(known | changes))  # type: ignore[arg-type]


async def run(
    ground: Ground, out: Path, *answers: RepairAnswer | Exception | Script, **changes: object
) -> ResultShape:
    bench = build_bench(ground, out, ScriptedRepairer(list(answers)), **changes)
    return (await bench.run([ground.case]))[0]


def trying(sandbox: Sandbox, *lines: str) -> Script:
    """Return a run that tries each line in the sandbox on its tree and patches with what it could read."""

    async def attempt(task: RepairTask) -> RepairAnswer:
        task.out.mkdir(parents=True, exist_ok=True)
        path = task.out / "trajectory.jsonl"
        with path.open("wb", buffering=0) as stream:
            recorded = RecordingSandbox(inner=sandbox, trajectory=JSONLinesTrajectory(stream=stream))
            ends = [
                await recorded.run(SandboxCommand(argv=("bash", "-c", line), tree=task.tree))
                for line in lines
            ]
        got = [end.stdout for end in ends if end.exit_code == 0]
        return build_answer({}, reason=f"read: {got}", trajectory=path.read_text("utf-8"))

    return attempt


def holding(tree: Path, text: str) -> list[Path]:
    return [path for path in tree.rglob("*") if path.is_file() and text in path.read_text("utf-8")]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_good_patch_is_resolved_and_everything_is_kept(ground: Ground, tmp_path: Path) -> None:
    result = await run(ground, tmp_path, GOOD)

    assert (result.ending, result.rank, result.changed) == (Ending.RESOLVED, 2, [SOURCE])
    assert result.own_lines == 1
    assert (
        json.loads((tmp_path / "SHELF-1" / "run-1" / "result.json").read_text("utf-8"))["ending"]
        == "resolved"
    )
    assert names(tmp_path) == ["SHELF-1"]


async def test_build_instructions_are_a_switch(ground: Ground, tmp_path: Path) -> None:
    shown, hidden = ScriptedRepairer([GOOD]), ScriptedRepairer([GOOD])

    await build_bench(ground, tmp_path / "a", shown).run([ground.case])
    conditions = Conditions(instructions=Shown.HIDDEN)
    await build_bench(ground, tmp_path / "b", hidden, conditions=conditions).run([ground.case])

    assert shown.tasks[0].build.test == ground.case.regression_test
    assert hidden.tasks[0].build == BuildConfig()


async def test_the_proof_is_a_switch_and_lies_nowhere_else(ground: Ground, tmp_path: Path) -> None:
    repairer = ScriptedRepairer([GOOD])
    conditions = Conditions(proof=Shown.HIDDEN)

    async def look(task: RepairTask) -> RepairAnswer:
        found = [
            path
            for path in task.tree.rglob("*")
            if path.is_file() and "secret.txt" in path.read_text("utf-8")
        ]
        return build_answer({}, reason=f"found {found}")

    repairer.answers = [look]
    result = (await build_bench(ground, tmp_path, repairer, conditions=conditions).run([ground.case]))[0]

    assert PROOF.splitlines()[1] not in repairer.tasks[0].report.body
    assert result.reason == "found []"


async def test_the_web_cannot_be_reached_and_the_attempt_marks_the_result(
    ground: Ground, tmp_path: Path
) -> None:
    lines = [
        "python3 -c \"import urllib.request as u; print(u.urlopen('http://93.184.216.34/', timeout=3).status)\"",
        "curl -s --max-time 3 https://github.com/acme/shelf/commit/1.patch",
        "pip download --timeout 2 --retries 0 shelf",
    ]

    result = await run(ground, tmp_path, trying(ground.bench.sandbox, *lines))

    assert result.reason == "read: []"
    assert {finding.kind for finding in result.findings} == {"network", "registry"}


async def test_there_is_no_history_to_read_and_the_attempt_marks_the_result(
    ground: Ground, tmp_path: Path
) -> None:
    lines = ["git log --all -p", "git -C /work show v1.0.1", "cat .git/packed-refs .git/HEAD"]

    result = await run(ground, tmp_path, trying(ground.bench.sandbox, *lines))

    assert result.reason == "read: []"
    assert {finding.kind for finding in result.findings} == {"history"}


async def test_the_evaluators_folder_is_in_no_mount_and_the_attempt_marks_the_result(
    ground: Ground, tmp_path: Path
) -> None:
    lines = [
        f"cat {ground.cases}/SHELF-1/case.yaml",
        f"ls {ground.repositories}",
        "find / -name case.yaml -not -path '/proc/*' 2>/dev/null | grep .",
        "find / -name 'poc.py' -not -path '/proc/*' 2>/dev/null | grep .",
    ]

    result = await run(ground, tmp_path, trying(ground.bench.sandbox, *lines))

    assert result.reason == "read: []"
    assert {finding.kind for finding in result.findings} == {"evaluator"}


async def test_a_run_has_no_rights(ground: Ground, tmp_path: Path) -> None:
    lines = ["test $(id -u) -eq 0", "touch /usr/local/bin/x", "mount -t tmpfs none /mnt", "chown 0:0 /tmp"]

    result = await run(ground, tmp_path, trying(ground.bench.sandbox, *lines))

    assert result.reason == "read: []"


async def test_hidden_sub_calls_mark_the_result(ground: Ground, tmp_path: Path) -> None:
    calls = "\n".join(json.dumps({"event": "model", "tokens": 5}) for _ in range(3))
    honest = dataclasses.replace(
        GOOD, trajectory=calls, cost=Cost(calls=3, tokens_in=9, tokens_out=6, money=0.1)
    )
    hiding = dataclasses.replace(honest, cost=Cost(calls=1))

    assert (await run(ground, tmp_path / "a", honest)).unpriced_calls == 0
    assert (await run(ground, tmp_path / "b", hiding)).unpriced_calls == 2


async def test_a_run_that_does_not_keep_its_time_is_ended(ground: Ground, tmp_path: Path) -> None:
    async def forever(task: RepairTask) -> RepairAnswer:
        await asyncio.sleep(3600)
        return GOOD

    conditions = Conditions(minutes=0.001)
    result = await run(ground, tmp_path, forever, conditions=conditions, grace_minutes=0.001)

    assert (result.ending, result.tries) == (Ending.TIMEOUT, 1)


async def test_a_collision_of_tests_is_tried_once_more_and_never_a_failed_patch(
    ground: Ground, tmp_path: Path
) -> None:
    colliding = build_answer({SOURCE: FIXED.encode(), "tests/test_shelf.py": None})

    result = await run(ground, tmp_path, colliding)

    assert (result.ending, result.tries) == (Ending.PIPELINE, 2)


async def test_a_weak_patch_is_told_from_a_good_one_beside_its_passed_proof(
    ground: Ground, tmp_path: Path
) -> None:
    weak = FIXED.replace(FIXED_LINE, '    if name == "../secret.txt":')

    result = await run(ground, tmp_path, build_answer({SOURCE: weak.encode()}))

    assert result.ending is Ending.DEVELOPER
    assert {phase.phase.value: phase.status.value for phase in result.phases}["proof"] == "passed"


@pytest.mark.parametrize("fault", [SandboxFaultError("it broke"), EvaluationError("no room left")])
async def test_a_fault_of_the_pipeline_is_tried_once_more(
    ground: Ground, tmp_path: Path, fault: Exception
) -> None:
    once = await run(ground, tmp_path / "a", fault, GOOD)
    twice = await run(ground, tmp_path / "b", fault)

    assert (once.ending, once.tries) == (Ending.RESOLVED, 2)
    assert (twice.ending, twice.tries, twice.reason) == (Ending.PIPELINE, 2, str(fault))


async def test_a_bench_goes_on_where_it_was_left(ground: Ground, tmp_path: Path) -> None:
    repairer = ScriptedRepairer([GOOD])
    bench = build_bench(ground, tmp_path, repairer)

    await bench.run([ground.case])
    await bench.run([ground.case])
    more = dataclasses.replace(bench, conditions=Conditions(repetitions=2))
    results = await more.run([ground.case])

    assert (len(repairer.tasks), [one.repetition for one in results]) == (2, [1, 2])


async def test_other_conditions_are_another_measurement(ground: Ground, tmp_path: Path) -> None:
    repairer = ScriptedRepairer([GOOD])

    await build_bench(ground, tmp_path, repairer).run([ground.case])
    await build_bench(ground, tmp_path, repairer, conditions=Conditions(minutes=1)).run([ground.case])

    assert len(repairer.tasks) == 2


async def test_a_case_that_does_not_hold_resolves_nothing(ground: Ground, tmp_path: Path) -> None:
    case = dataclasses.replace(ground.case, regression_test="false")
    validator = Validator(bench=ground.bench, out=tmp_path / "validation", progress=RecordedProgress())
    bench = build_bench(ground, tmp_path, ScriptedRepairer([GOOD]), validator=validator)

    (result,) = await bench.run([case])

    assert result.ending is Ending.BASELINE
    assert result.reason.startswith("vulnerable tree: regression must pass")


async def test_a_missing_repository_is_a_fault_of_the_pipeline(ground: Ground, tmp_path: Path) -> None:
    case: Case = dataclasses.replace(ground.case, repo="acme/none")

    (result,) = await build_bench(ground, tmp_path, ScriptedRepairer([GOOD])).run([case])

    assert (result.ending, result.outcome) == (Ending.PIPELINE, Outcome.ERROR)


class Remembering:
    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def ask(self, question: str) -> str:
        self.asked.append(question)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (json.dumps({"remembered": True, "code": FIXED_LINE}), Recall.RECALLED),
        ('{"remembered": false}', Recall.NOT_RECALLED),
        (EvaluationError("no model"), Recall.UNREADABLE),
    ],
)
async def test_the_model_is_asked_whether_it_remembered_the_fix(
    ground: Ground, tmp_path: Path, answer: str | Exception, expected: Recall
) -> None:
    model = Remembering(answer)

    result = await run(ground, tmp_path, GOOD, memory=model, cutoff=ground.case.fix_date)

    assert (result.recall, result.before_cutoff, len(model.asked)) == (expected, True, 1)
    assert FIXED_LINE.strip() not in model.asked[0]
