"""``suture eval validate`` and ``suture eval repair`` as they are typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from agent.domain.run import Outcome
from bot import bench_repairer
from bot.bench_progress import LineProgress, NotesOnly
from bot.bench_repairer import choose_repairer
from bot.cli import build_app, eval_repair, eval_validate
from bot.compose import Workshop
from bot.errors import SettingsError
from bot.settings import load_settings
from evaluation.errors import EvaluationError
from tests.fakes.bench import ScriptedRepairer, SystemPython, build_answer
from tests.repair_cases import FIXED, case_mapping, write_case

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from agent.ports import Sandbox, Toolchain
    from tests.integration.evaluation.conftest import Ground


class PlainWorkshop(Workshop):
    def toolchains_of(self, name: str) -> Sequence[Toolchain]:
        return (SystemPython(),)


@pytest.fixture
def workshop(bench_sandbox: Sandbox, reachable: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """Make every command use this sandbox and the machine's own Python."""
    settings = load_settings({"SUTURE_DATA_DIR": str(reachable), "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    made = PlainWorkshop(settings=settings, sandbox=bench_sandbox)
    for module in (eval_repair, eval_validate):
        monkeypatch.setattr(module, "open_workshop", lambda _settings: made)
    return made


def folders(ground: Ground, out: Path) -> list[str]:
    return ["--cases", str(ground.cases), "--repos", str(ground.repositories), "--out", str(out)]


def test_validate_says_which_cases_hold(ground: Ground, workshop: Workshop, tmp_path: Path) -> None:
    typed = ["eval", "validate", *folders(ground, tmp_path)]

    first = CliRunner().invoke(build_app(), typed)
    again = CliRunner().invoke(build_app(), [*typed, "--json"])

    assert (first.exit_code, again.exit_code) == (0, 0)
    assert (
        "| SHELF-1 | yes | pass, pass, pass, fail | pass, pass, pass, pass | proof | proof |" in first.stdout
    )
    assert json.loads(again.stdout)["cases"] == [{"case": "SHELF-1", "holds": True, "wrong": []}]
    assert "kept: holds" in again.stderr


def test_repair_measures_reports_and_compares(
    ground: Ground, workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = ScriptedRepairer([build_answer({"shelf/__init__.py": FIXED.encode()})])
    bad = ScriptedRepairer([build_answer({}, outcome=Outcome.NO_PATCH)])
    chosen = [good, bad]
    monkeypatch.setattr(eval_repair, "choose_repairer", lambda *_args, **_more: chosen.pop(0))
    typed = ["eval", "repair", "--validation", str(tmp_path / "validation")]
    page = tmp_path / "page.md"

    first = CliRunner().invoke(build_app(), [*typed, *folders(ground, tmp_path / "a"), "--page", str(page)])
    second = CliRunner().invoke(
        build_app(),
        [
            *(*typed, *folders(ground, tmp_path / "b"), "--json"),
            *("--stored", str(tmp_path / "a" / "report.json"), "--against", str(tmp_path / "a")),
        ],
    )

    assert (first.exit_code, second.exit_code) == (0, 3), first.output + second.output
    assert "1 of 1 cases resolved" in page.read_text("utf-8")
    assert str(tmp_path) not in page.read_text("utf-8")
    values = json.loads(second.stdout)
    assert (values["summary"]["resolved"]["passed"], values["duel"]["only_theirs"]) == (0.0, ["SHELF-1"])
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        *("SHELF-1", "report.html", "report.json", "report.md"),
    ]


@pytest.mark.parametrize("command", ["repair", "validate"])
def test_what_cannot_be_measured_is_one_line_that_says_why(
    ground: Ground, workshop: Workshop, tmp_path: Path, command: str
) -> None:
    write_case(tmp_path / "bad", case_mapping(cwe="22"))
    typed = [
        "--cases",
        str(tmp_path / "bad"),
        "--repos",
        str(ground.repositories),
        "--out",
        str(tmp_path / "o"),
    ]

    found = CliRunner().invoke(build_app(), ["eval", command, *typed])

    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith("suture: case SHELF-1: cwe:")
    assert found.stderr.count("\n") == 1


def test_the_other_measurement_must_be_one(ground: Ground, workshop: Workshop, tmp_path: Path) -> None:
    typed = ["--baseline", "true", "--model", "m", "--against", str(tmp_path / "none")]

    found = CliRunner().invoke(build_app(), ["eval", "repair", *folders(ground, tmp_path / "a"), *typed])

    assert found.exit_code == 2
    assert "holds no results of these cases" in found.stderr


def test_suture_is_measured_unless_another_agent_is_named(workshop: Workshop) -> None:
    ours = choose_repairer(workshop, baseline="", model="").facts
    theirs = choose_repairer(workshop, baseline="mini-swe-agent", model="m").facts
    command = choose_repairer(workshop, baseline="my-agent {task}", model="m").facts

    assert ours.name == "Suture, offline rules"
    assert (theirs.name, theirs.model) == ("mini-swe-agent", "m")
    assert (command.name, command.version) == ("command", "my-agent {task}")


def test_a_baseline_without_a_model_is_refused(workshop: Workshop) -> None:
    with pytest.raises(SettingsError, match="a baseline needs --model"):
        choose_repairer(workshop, baseline="mini-swe-agent", model="")


def test_the_time_left_is_reckoned_from_what_really_ran() -> None:
    from io import StringIO

    now = iter([0.0, 90.0, 100.0])
    stream = StringIO()
    progress = LineProgress(stream=stream, clock=lambda: next(now))

    progress.begin(4)
    progress.finish("A", "kept", fresh=False)
    progress.finish("B", "resolved\x1b[31m", fresh=True)
    NotesOnly(progress).begin(9)
    NotesOnly(progress).note("C", "runs")
    NotesOnly(progress).finish("C", "holds", fresh=True)
    NotesOnly(progress).finish("C", "kept", fresh=False)
    progress.finish("C", "resolved", fresh=True)
    progress.finish("D", "resolved", fresh=True)

    assert stream.getvalue().splitlines() == [
        "A: kept [1/4]",
        "B: resolved?[31m [2/4, about 3 min left]",
        "C: runs",
        "C: validation: holds",
        "C: resolved [3/4, about 50 s left]",
        "D: resolved [4/4]",
    ]


def test_the_record_of_a_run_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="record of a run cannot be read"):
        bench_repairer._text(tmp_path / "none.jsonl")
