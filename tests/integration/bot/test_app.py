"""The App over HTTP with its durable engine, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import aiohttp
import pytest

from agent.domain.report import Report
from agent.domain.run import Outcome
from bot.store.runs import RunState
from tests.fakes.engine import ScriptedEngine
from tests.integration.bot.running_app import fake_of, headers, post, running, settled, until
from tests.unit.handlers.builders import build_comment_event, build_issue_event, build_repository

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_webhook_becomes_a_pull_request(tmp_path: Path, database_url: str) -> None:
    async with running(tmp_path, database_url, ScriptedEngine()) as app:
        assert await post(app.port, "issues", build_issue_event()) == 202
        await settled(app)
        assert len(fake_of(app).pulls) == 1
        (run,) = app.store.runs.latest()
        assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.FIXED)


async def test_a_delivery_is_done_once_however_often_it_comes(tmp_path: Path, database_url: str) -> None:
    async with running(tmp_path, database_url, ScriptedEngine()) as app:
        payload = build_issue_event()
        answers = await asyncio.gather(*(post(app.port, "issues", payload, "guid-0001") for _ in range(5)))
        await settled(app)
        assert answers == [202] * 5
        assert (len(app.store.runs.latest()), len(fake_of(app).pulls)) == (1, 1)


async def test_stop_ends_a_running_engine_within_seconds(tmp_path: Path, database_url: str) -> None:
    engine = ScriptedEngine(delay=120)
    async with running(tmp_path, database_url, engine) as app:
        await post(app.port, "issues", build_issue_event())
        await until(lambda: bool(engine.running))
        asked = time.monotonic()
        await post(app.port, "issue_comment", build_comment_event("/patch stop"))
        await until(lambda: not engine.running)
        assert time.monotonic() - asked < 10
        await settled(app)
        (run,) = app.store.runs.latest()
        assert (run.state, run.outcome, engine.cancelled) == (RunState.FINISHED, Outcome.CANCELLED, 1)
        assert fake_of(app).pulls == []


async def test_one_run_at_a_time_per_repository_and_several_over_all(
    tmp_path: Path, database_url: str
) -> None:
    engine = ScriptedEngine(delay=0.5)
    busy: dict[str, int] = {}
    at_once: list[int] = []
    async with running(tmp_path, database_url, engine, concurrent_runs=4) as app:
        engine.on_start = lambda _request: at_once.append(engine.running + 1)
        for repository in (1, 2):
            for number in (1, 2):
                payload = build_issue_event(number=number, title=f"flaw {number}", body=f"words {number}")
                payload["repository"] = build_repository(id=repository, full_name=f"octo/r{repository}")
                await post(app.port, "issues", payload)
        for _ in range(200):
            running_now = [run for run in app.store.runs.active() if run.state is RunState.RUNNING]
            for repository in (1, 2):
                count = sum(run.repository_id == repository for run in running_now)
                busy[str(repository)] = max(busy.get(str(repository), 0), count)
            await asyncio.sleep(0.05)
            if len(engine.requests) == 4 and not engine.running:
                break
        await settled(app)
    assert busy == {"1": 1, "2": 1}
    assert max(at_once) == 2


async def test_a_result_that_waits_does_not_hold_the_slot(tmp_path: Path, database_url: str) -> None:
    from tests.fakes.engine import build_result

    engine = ScriptedEngine(results=[build_result(Outcome.UNPROVEN), build_result()])
    async with running(tmp_path, database_url, engine) as app:
        await post(app.port, "issues", build_issue_event(number=1, title="a", body="a"))
        await settled(app)
        await post(app.port, "issues", build_issue_event(number=2, title="b", body="b"))
        await settled(app)
        states = {run.subject_key: run.state for run in app.store.runs.latest()}
        assert states == {"issue-1": RunState.WAITING, "issue-2": RunState.FINISHED}
        on_first = build_comment_event("/patch approve", issue={"number": 1})
        await post(app.port, "issue_comment", on_first)
        await settled(app)
        assert len(fake_of(app).pulls) == 2


async def test_severity_decides_who_is_next(tmp_path: Path, database_url: str) -> None:
    from agent.domain.report import Severity

    engine = ScriptedEngine(delay=1.0)
    async with running(tmp_path, database_url, engine) as app:
        github = fake_of(app)
        levels = [Severity.UNKNOWN, Severity.LOW, Severity.CRITICAL, Severity.HIGH]
        for number, severity in enumerate(levels):
            report = Report(id=f"issue-{number}", title=f"f{number}", body=str(number), severity=severity)
            github.add_report(f"issue-{number}", report)
            event = build_comment_event(issue={"number": number}, comment={"id": number + 1})
            await post(app.port, "issue_comment", event)
            await until(lambda: bool(engine.requests))
        await settled(app)
    assert [request.report.severity for request in engine.requests] == [
        Severity.UNKNOWN,
        Severity.CRITICAL,
        Severity.HIGH,
        Severity.LOW,
    ]


async def test_what_a_stopped_process_left_is_done_by_the_next(tmp_path: Path, database_url: str) -> None:
    slow = ScriptedEngine(delay=120)
    async with running(tmp_path, database_url, slow) as app:
        await post(app.port, "issues", build_issue_event())
        await until(lambda: bool(slow.running))
    async with running(tmp_path, database_url, ScriptedEngine()) as app:
        await settled(app)
        (run,) = app.store.runs.latest()
        assert (run.state, run.outcome, run.attempts) == (RunState.FINISHED, Outcome.FIXED, 2)
        assert len(fake_of(app).pulls) == 1


async def test_lost_deliveries_are_asked_for_again_at_the_start(tmp_path: Path, database_url: str) -> None:
    async with running(tmp_path, database_url, ScriptedEngine()) as app:
        github = fake_of(app)
        github.lose(31, 32)
        from bot.jobs import sweeping

        await sweeping.redeliver(app.services)
        assert github.state["redelivered"] == [31, 32]
        marked = app.store.slots.marked(sweeping.MARK)
        assert marked > 0


async def test_the_probes_answer(tmp_path: Path, database_url: str) -> None:
    async with running(tmp_path, database_url, ScriptedEngine()) as app, aiohttp.ClientSession() as session:
        base = f"http://127.0.0.1:{app.port}"
        async with session.get(f"{base}/healthz") as answer:
            assert (answer.status, await answer.json()) == (200, {"alive": True})
        async with session.get(f"{base}/readyz") as answer:
            assert (answer.status, await answer.json()) == (200, {"ready": True, "problem": ""})
        async with session.get(f"{base}/metrics") as answer:
            assert "suture_webhook_answer_seconds" in await answer.text()


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"X-Hub-Signature-256": ""}, 401, "required"),
        ({"X-Hub-Signature-256": "", "X-Hub-Signature": "sha1=abc"}, 401, "required"),
        ({"X-Hub-Signature-256": "sha256=" + "0" * 64}, 401, "does not match"),
        ({"X-Hub-Signature-256": "sha256=zz"}, 401, "does not match"),
        ({"X-GitHub-Delivery": "../../etc"}, 400, "X-GitHub-Delivery"),
        ({"X-GitHub-Event": "Issues; DROP"}, 400, "X-GitHub-Event"),
        ({"Content-Type": "text/plain"}, 415, "not a GitHub event"),
    ],
)
async def test_bad_requests_are_refused_in_json(
    tmp_path: Path, changes: dict[str, str], status: int, words: str
) -> None:
    url = f"sqlite:///{tmp_path / 's.db'}"
    async with running(tmp_path, url, ScriptedEngine()) as app:
        body = b'{"action": "opened"}'
        async with (
            aiohttp.ClientSession() as session,
            session.post(
                f"http://127.0.0.1:{app.port}/webhook", data=body, headers=headers("issues", body, **changes)
            ) as answer,
        ):
            assert (answer.status, words in (await answer.json())["error"]) == (status, True)
        assert app.store.deliveries.count() == {}
