"""The pure decisions of the jobs."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from agent.domain.report import Report, Severity
from agent.domain.run import Outcome
from bot.errors import GitHubError, RepositoryGoneError, RunDeclinedError
from bot.jobs import merging
from bot.jobs.advising import package_name
from bot.jobs.deciding import Ending, ending
from bot.jobs.gates import mentions
from bot.jobs.journal import delay, failure_of
from bot.jobs.names import PRIORITIES, branch_name, job_ids, publish_job, run_id, run_job
from bot.jobs.permission import suffices
from bot.jobs.slots import is_dead, process_mark
from bot.production import api_url
from bot.repo_config import DEFAULTS, RepoConfig
from bot.store.runs import Run
from bot.store.slots import Slot
from handlers.intents import Permission
from tests.fakes.engine import build_result

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("role", "needed", "enough"),
    [
        ("admin", Permission.ADMIN, True),
        ("maintain", Permission.ADMIN, False),
        ("maintain", Permission.WRITE, True),
        ("triage", Permission.WRITE, False),
        ("triage", Permission.TRIAGE, True),
        ("read", Permission.TRIAGE, False),
        ("none", Permission.TRIAGE, False),
        ("owner", Permission.TRIAGE, False),
        ("none", Permission.SYSTEM, True),
    ],
)
def test_roles_are_ordered_and_unknown_ones_hold_nothing(role: str, needed: Permission, enough: bool) -> None:
    assert suffices(role, needed) is enough


def test_failures_are_recorded_with_what_the_workflow_needs() -> None:
    limited = GitHubError("slow down", status=429, retryable=True, retry_after=40.0)
    gone = failure_of(RepositoryGoneError("gone", status=404, retryable=False))
    assert gone is not None
    assert (gone.gone, gone.retryable, gone.kind) == (True, False, "RepositoryGoneError")
    found = failure_of(limited)
    assert found is not None
    assert (found.status, found.retryable, found.wait) == (429, True, 40.0)
    timeout, declined = failure_of(TimeoutError()), failure_of(RunDeclinedError("archived"))
    assert timeout is not None
    assert timeout.retryable
    assert declined is not None
    assert (declined.retryable, declined.kind) == (False, "RunDeclinedError")
    assert failure_of(KeyError("a mistake")) is None


def test_waits_grow_are_bounded_and_obey_the_other_side() -> None:
    assert [delay(attempt, 0.0) for attempt in range(1, 7)] == [2.0, 8.0, 32.0, 128.0, 300.0, 300.0]
    assert delay(1, 3600.0) == 3600.0


def build_run(**changes: object) -> Run:
    return replace(Run(id="r", repository_id=1, installation_id=2), **changes)  # type: ignore[arg-type]


def wish(unproven: str) -> RepoConfig:
    return RepoConfig.model_validate({"publish": {"unproven": unproven}})


@pytest.mark.parametrize(
    ("run", "outcome", "config", "expected"),
    [
        (build_run(), Outcome.FIXED, DEFAULTS, Ending.PULL_REQUEST),
        (build_run(), Outcome.UNPROVEN, wish("pull_request"), Ending.PULL_REQUEST),
        (build_run(), Outcome.UNPROVEN, wish("comment"), Ending.WAIT),
        (build_run(), Outcome.UNPROVEN, wish("none"), Ending.NOTHING),
        (build_run(), Outcome.NOT_REPRODUCED, DEFAULTS, Ending.COMMENT),
        (build_run(visibility="private"), Outcome.FIXED, DEFAULTS, Ending.WAIT),
        (build_run(visibility="private"), Outcome.UNPROVEN, wish("pull_request"), Ending.WAIT),
        (build_run(visibility="private"), Outcome.NO_PATCH, DEFAULTS, Ending.NOTHING),
        (build_run(visibility="private", approved_by="a"), Outcome.FIXED, DEFAULTS, Ending.PULL_REQUEST),
        (build_run(approved_by="a"), Outcome.NO_PATCH, DEFAULTS, Ending.NOTHING),
    ],
)
def test_each_ending_has_one_consequence(
    run: Run, outcome: Outcome, config: RepoConfig, expected: Ending
) -> None:
    assert ending(run, build_result(outcome), config) is expected


@pytest.mark.parametrize("outcome", [one for one in Outcome if one not in {Outcome.FIXED, Outcome.UNPROVEN}])
def test_a_best_effort_patch_of_a_failed_run_is_never_published(outcome: Outcome) -> None:
    result = replace(build_result(), outcome=outcome)
    assert ending(build_run(), result, DEFAULTS) is Ending.COMMENT
    assert ending(build_run(approved_by="a"), result, DEFAULTS) is Ending.NOTHING


def test_the_more_severe_runs_first() -> None:
    ordered = sorted(Severity, key=lambda one: PRIORITIES[one])
    assert ordered == [Severity.CRITICAL, Severity.HIGH, Severity.MODERATE, Severity.UNKNOWN, Severity.LOW]
    assert min(PRIORITIES.values()) >= 1


def test_names_are_the_same_after_a_restart_and_different_for_other_causes() -> None:
    assert run_id("guid-0", 1, "issue-1") == run_id("guid-0", 1, "issue-1")
    assert run_id("guid-0", 1, "issue-1") != run_id("guid-0", 1, "issue-2")
    assert set(job_ids("r")) == {
        run_job(build_run(priority=1)).id, publish_job("r").id, publish_job("r", approved=True).id
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "branch"),
    [("issue-12", "suture/issue-12-1"), ("GHSA-aa", "suture/GHSA-aa-1"), ("a b/../c", "suture/a-b-c-1")],
)
def test_branches_are_fit_for_git(key: str, branch: str) -> None:
    assert branch_name(key, 1) == branch


def test_a_report_is_known_by_its_ids_and_its_issue() -> None:
    report = Report(
        id="issue-3",
        title="about cve-2026-1234",
        body="unlike CVE-2026-9999",
        aliases=("GHSA-2345-cfgh-jmpq",),
    )
    assert mentions(report, 3) == ("CVE-2026-1234", "GHSA-2345-CFGH-JMPQ", "#3")
    assert mentions(Report(id="i", title="t", body="b"), None) == ()


@pytest.mark.parametrize(
    ("path", "content", "name"),
    [
        ("pyproject.toml", b'[project]\nname = "My_Pkg.x"', "my-pkg-x"),
        ("pyproject.toml", b"[tool.x]", ""),
        ("pyproject.toml", b"broken [", ""),
        ("package.json", b'{"name": "@scope/pkg"}', "@scope/pkg"),
        ("package.json", b'{"name": 7}', ""),
        ("package.json", b"[1]", ""),
        ("package.json", b"\xff", ""),
    ],
)
def test_the_package_of_a_manifest(path: str, content: bytes, name: str) -> None:
    assert package_name(path, content) == name


@pytest.mark.parametrize(
    ("web", "api"),
    [
        ("https://github.com", "https://api.github.com"),
        ("https://github.com/", "https://api.github.com"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com"),
        ("https://git.acme.example", "https://git.acme.example/api/v3"),
        ("http://localhost:4020", "http://localhost:4020/api/v3"),
    ],
)
def test_the_api_of_each_kind_of_github(web: str, api: str) -> None:
    assert api_url(web) == api


def test_a_refined_patch_takes_back_what_only_the_old_one_changed(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("as it was")
    old, new = build_result(), build_result(content=b"better")
    assert old.candidate is not None
    old = replace(
        old, candidate=replace(old.candidate, changes={"old.py": b"x", "new.py": b"y", "app.py": b"z"})
    )
    merged = merging.instead_of(new, old, tmp_path)
    assert merged.candidate is not None
    assert merged.candidate.changes == {"old.py": b"as it was", "new.py": None, "app.py": b"better"}


def test_the_same_patch_again_is_none(tmp_path: Path) -> None:
    merged = merging.instead_of(build_result(), build_result(), tmp_path)
    assert (merged.outcome, merged.candidate) == (Outcome.NO_PATCH, None)


def test_without_an_earlier_patch_nothing_is_merged(tmp_path: Path) -> None:
    result = build_result()
    assert merging.instead_of(result, None, tmp_path) is result
    failed = build_result(Outcome.NO_PATCH)
    assert merging.instead_of(failed, result, tmp_path) is failed


def build_slot(**changes: object) -> Slot:
    mine = process_mark(os.getpid())
    slot = Slot(name="slot-0", owner="o", host="h", process=mine, beat_at=100.0)
    return replace(slot, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("slot", "now", "dead"),
    [
        (build_slot(), 110.0, False),
        (build_slot(), 131.0, True),
        (build_slot(process="999999999:1:x"), 110.0, True),
        (build_slot(process="999999999:1:x", host="elsewhere"), 110.0, False),
        (build_slot(process=f"{os.getpid()}:0:another boot"), 110.0, True),
        (build_slot(process=""), 110.0, False),
        (build_slot(beat_at=0.0), 110.0, True),
    ],
)
def test_a_holder_is_dead_when_its_process_or_its_beat_is(slot: Slot, now: float, dead: bool) -> None:
    assert is_dead(slot, now=now, lease=30.0, host="h", mark=process_mark) is dead
