"""``suture runs`` shows the operator everything, private results too, and refuses what it cannot do."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner, Result

from agent.domain.report import Report, Visibility
from bot.artifacts import ArtifactStore
from bot.cli import build_app
from bot.store.codec import encode
from bot.store.runs import Run, RunState
from bot.store.store import open_store
from handlers.intents import ReportKind, Repository, Subject
from tests.fakes.engine import build_result

if TYPE_CHECKING:
    from pathlib import Path

RUN = "abcdef0123456789abcd"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data folder with one private run that waits."""
    monkeypatch.setenv("SUTURE_DATA_DIR", str(tmp_path))
    store = open_store(f"sqlite:///{tmp_path / 'suture.db'}")
    artifacts = ArtifactStore(tmp_path / "artifacts")
    store.repositories.see(Repository(id=1, full_name="octo/demo", installation_id=5), 1.0)
    report = Report(id="r", title="Zip slip", body="b", visibility=Visibility.PRIVATE)
    store.reports.save(RUN, 1, "GHSA-x", report, 1.0)
    subject = Subject(kind=ReportKind.REPOSITORY_ADVISORY, key="GHSA-x")
    run = Run(
        id=RUN,
        repository_id=1,
        installation_id=5,
        report_id=RUN,
        subject=json.dumps(encode(subject)),
        subject_key="GHSA-x",
        state=RunState.WAITING,
        outcome="fixed",
        reason="as scripted",
        visibility="private",
        created_at=time.time(),
    )
    store.runs.open(run, lambda _connection: None)
    store.runs.note(RUN, 5.0, "started", "on main")
    result = artifacts.put(json.dumps(encode(build_result())).encode())
    store.runs.attach(RUN, "result.json", result)
    store.runs.attach(RUN, "patch.diff", artifacts.put(b"--- a/app.py\n"))
    store.close()
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(build_app(), ["runs", *arguments])


def test_the_list_has_private_runs(data: Path) -> None:
    result = call()
    assert result.exit_code == 0
    assert "abcdef01" in result.stdout
    assert "waiting" in result.stdout


def test_a_run_is_shown_by_the_beginning_of_its_id(data: Path) -> None:
    result = call("show", "abcd")
    assert result.exit_code == 0
    for words in (
        "Zip slip",
        "private",
        "as scripted",
        "started on main",
        "patch.diff",
        "suture runs approve",
    ):
        assert words in result.stdout


def test_patch_and_result_are_printed_alone(data: Path) -> None:
    assert call("show", "abcd", "--patch").stdout == "--- a/app.py\n"
    assert json.loads(call("show", "abcd", "--json").stdout)["outcome"] == "fixed"


def test_a_damaged_artifact_is_one_line(data: Path) -> None:
    for path in (data / "artifacts").rglob("*"):
        if path.is_file():
            path.write_bytes(b"rot")
    result = call("show", "abcd", "--patch")
    assert (result.exit_code, "damaged" in result.stderr, result.stdout) == (1, True, "")


@pytest.mark.parametrize("command", ["show", "approve"])
def test_an_unknown_run_is_one_line(data: Path, command: str) -> None:
    result = call(command, "ffff")
    assert (result.exit_code, result.stderr) == (1, "suture: no run begins with ffff\n")


def test_approving_enqueues_the_publication_once(data: Path) -> None:
    assert call("approve", "abcd").exit_code == 0
    store = open_store(f"sqlite:///{data / 'suture.db'}")
    run = store.runs.get(RUN)
    store.close()
    assert run is not None
    assert (run.state, run.approved_by) == (RunState.PUBLISHING, "operator")
    again = call("approve", "abcd")
    assert (again.exit_code, "does not wait" in again.stderr) == (1, True)


def test_settings_that_cannot_be_used_are_one_line(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUTURE_PORT", "x")
    result = call()
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_an_app_that_is_not_set_up_says_how(data: Path, command: str) -> None:
    result = CliRunner().invoke(build_app(), [command])
    assert (result.exit_code, "suture setup" in result.stderr) == (2, True)
