"""Installations that come and go, configurations that change, and what is swept from time to time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.domain.run import Outcome
from bot.errors import GitHubError
from bot.jobs import sweeping
from bot.store.runs import RunState
from tests.fakes.journal import PlainJournal
from tests.unit.handlers.builders import (
    SHA,
    build_global_advisory_event,
    build_issue_event,
    build_push,
)

if TYPE_CHECKING:
    from tests.integration.bot.world import World

CONFIG = ".github/suture.yml"
DAY = 86_400.0


def installation(action: str, **more: object) -> dict[str, object]:
    account = {"id": 4, "login": "octo", "type": "Organization"}
    return {"action": action, "installation": {"id": 5, "account": account}, **more}


def short() -> dict[str, object]:
    return {"id": 1, "full_name": "octo/demo", "private": False}


async def test_an_installation_makes_its_repositories_known(world: World) -> None:
    await world.send("installation", installation("created", repositories=[short()]))
    assert [repository.id for repository in world.services.store.repositories.all()] == [1]


async def test_removing_the_installation_deletes_what_was_known(world: World) -> None:
    await world.send("installation", installation("created", repositories=[short()]))
    await world.send("issues", build_issue_event())
    assert len(list(world.services.artifacts.digests())) > 0
    await world.send("installation", installation("deleted", repositories=[short()]))
    store = world.services.store
    assert (store.runs.latest(), store.repositories.all(), store.pulls.feedback(1)) == ([], [], [])
    assert (world.checkouts.dropped, world.indexer.dropped) == (["octo/demo"], ["octo/demo"])
    world.time += 100 * DAY
    sweeping.clean(world.services, lambda _before: 0)
    assert list(world.services.artifacts.digests()) == []


async def test_removing_one_repository_stops_its_run_and_leaves_the_others(world: World) -> None:
    other = {**short(), "id": 2, "full_name": "octo/other"}
    await world.send("installation", installation("created", repositories=[short(), other]))
    world.take("issues", build_issue_event())
    await world.queues.run_next()
    removal = installation("removed", repositories_added=[], repositories_removed=[short()])
    world.take("installation_repositories", removal)
    while any(job.workflow == "delivery" for job in world.queues.waiting):
        await world.queues.run_next()
    await world.queues.drain()
    assert [repository.id for repository in world.services.store.repositories.all()] == [2]
    assert world.engine.requests == []


async def test_suspending_stops_what_runs_and_unsuspending_serves_again(world: World) -> None:
    world.take("issues", build_issue_event())
    await world.queues.run_next()
    await world.queues.bodies["delivery"](PlainJournal(), world.take("installation", installation("suspend")))
    await world.queues.drain()
    assert (world.run.state, world.run.outcome) == (RunState.FINISHED, Outcome.CANCELLED)
    await world.send("installation", installation("unsuspend"))
    await world.send("issues", build_issue_event())
    assert len(world.github.pulls) == 1


async def test_a_push_brings_the_index_up_to_date(world: World) -> None:
    await world.send("push", build_push())
    assert world.indexer.updated == [("octo/demo", "main", SHA)]
    assert world.checkouts.left() == []


async def test_an_index_that_cannot_be_updated_is_no_failure(world: World) -> None:
    world.checkouts.failure = GitHubError("down", status=500, retryable=True)
    await world.send("push", build_push())
    assert world.services.store.deliveries.count() == {"done": 1}


def config_push() -> dict[str, object]:
    return build_push(commits=[{"added": [], "removed": [], "modified": [CONFIG]}])


async def test_a_bad_configuration_becomes_one_failing_check_with_line_and_key(world: World) -> None:
    world.github.add_file("octo/demo", CONFIG, "enabled: true\nlimits:\n  files: many\n")
    await world.send("push", config_push())
    (check,) = world.github.state["checks"].values()
    assert check["conclusion"] == "failure"
    assert "limits.files" in check["summary"]
    assert "3" in check["summary"]


async def test_the_last_good_configuration_stays_in_force(world: World) -> None:
    world.github.add_file("octo/demo", CONFIG, "enabled: false\n")
    await world.send("push", config_push())
    world.github.add_file("octo/demo", CONFIG, "enabled: perhaps\n")
    await world.send("push", config_push())
    await world.send("issues", build_issue_event())
    assert world.runs == []


async def test_a_configuration_is_read_again_after_an_hour(world: World) -> None:
    await world.send("issues", build_issue_event(label="question"))
    world.github.add_file("octo/demo", CONFIG, "enabled: false\n")
    world.time += 2 * 3600
    await world.send("issues", build_issue_event())
    assert world.runs == []


async def test_a_global_advisory_is_kept_for_the_repository_whose_package_it_names(world: World) -> None:
    both = [short(), {**short(), "id": 2, "full_name": "octo/other"}]
    await world.send("installation", installation("created", repositories=both))
    world.github.add_file("octo/demo", "pyproject.toml", '[project]\nname = "demo"\n')
    world.github.add_file("octo/other", "pyproject.toml", '[project]\nname = "other"\n')
    await world.send("security_advisory", build_global_advisory_event())
    reports = world.services.store.reports
    found = [reports.same_flaw(number, {"CVE-2026-1234"}) for number in (1, 2)]
    assert [len(ids) for ids in found] == [1, 0]
    assert world.github.writes() == []


async def test_lost_deliveries_are_asked_for_again_and_the_mark_moves(world: World) -> None:
    world.github.lose(1, 2)
    assert await sweeping.redeliver(world.services) == 2
    assert world.github.state["redelivered"] == [1, 2]
    (first,) = [call for call in world.github.calls if call["method"] == "failed_deliveries"]
    assert first["arguments"] == [sweeping.LONGEST_WINDOW]
    await sweeping.redeliver(world.services)
    second = [call for call in world.github.calls if call["method"] == "failed_deliveries"][-1]
    assert second["arguments"][0] < 2 * sweeping.OVERLAP


async def test_a_failed_look_for_lost_deliveries_does_not_move_the_mark(world: World) -> None:
    world.github.fail("failed_deliveries", GitHubError("down", status=503, retryable=True))
    assert await sweeping.redeliver(world.services) == 0
    assert world.services.store.slots.marked(sweeping.MARK) == 0.0


async def test_old_payloads_go_and_the_guid_stays(world: World) -> None:
    guid = await world.send("issues", build_issue_event(label="question"))
    world.time += 30 * DAY
    dropped = sweeping.clean(world.services, lambda _before: 3)
    assert (dropped["payloads"], dropped["workflows"]) == (1, 3)
    await world.send("issues", build_issue_event(), guid=guid)
    assert world.runs == []


async def test_a_run_without_a_job_is_ended_and_bars_nothing(world: World) -> None:
    world.take("issues", build_issue_event())
    await world.queues.run_next()
    world.queues.waiting.clear()
    assert sweeping.mend(world.services, lambda _ids: frozenset()) == 0
    world.time += 3600
    assert sweeping.mend(world.services, frozenset) == 0
    assert sweeping.mend(world.services, lambda _ids: frozenset()) == 1
    assert (world.run.state, world.run.outcome) == (RunState.FINISHED, Outcome.ERROR)


async def test_a_result_that_waits_is_never_mended_away(world: World) -> None:
    from tests.fakes.engine import build_result

    world.engine.results = [build_result(Outcome.UNPROVEN)]
    await world.send("issues", build_issue_event())
    world.time += 30 * DAY
    assert sweeping.mend(world.services, lambda _ids: frozenset()) == 0
    assert world.run.state is RunState.WAITING


async def test_a_run_that_keeps_ending_the_process_is_given_up(world: World) -> None:
    world.take("issues", build_issue_event())
    await world.queues.run_next()
    run = world.run
    world.services.store.runs.change(run.id, {RunState.QUEUED}, attempts=5)
    await world.queues.drain()
    assert (world.run.outcome, world.engine.requests) == (Outcome.ERROR, [])
    assert "interrupted" in world.run.reason


async def test_a_run_that_takes_too_long_ends_with_its_budget(world: World) -> None:
    world.github.add_file("octo/demo", CONFIG, "limits:\n  minutes: 0.005\n")
    world.engine.delay = 30
    await world.send("issues", build_issue_event())
    assert (world.run.outcome, world.engine.cancelled) == (Outcome.BUDGET_EXHAUSTED, 1)
    assert world.checkouts.left() == []
