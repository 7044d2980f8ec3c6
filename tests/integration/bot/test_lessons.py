"""What other bots were blamed for; each test is one complaint that Suture must not earn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from agent.domain.report import Report, Severity
from agent.domain.run import Outcome
from bot.errors import GitHubError
from bot.github.policies import CommitStyle, HouseRules, Prohibition
from bot.ports import PullRequest
from bot.store.runs import RunState
from tests.fakes.engine import build_result
from tests.integration.bot.world import OPERATOR, STRANGER, World
from tests.unit.handlers.builders import (
    GHSA,
    build_advisory_event,
    build_button,
    build_check_event,
    build_comment_event,
    build_issue_event,
    build_pull_event,
    build_repository,
    build_review_event,
    build_user,
)

if TYPE_CHECKING:
    from pathlib import Path


async def fixed_issue(world: World) -> dict[str, object]:
    """Let an issue become a pull request; return the pull request."""
    await world.send("issues", build_issue_event())
    (pull,) = world.github.pulls
    return pull


async def test_a_labelled_issue_becomes_one_draft_pull_request(world: World) -> None:
    pull = await fixed_issue(world)
    assert (pull["head_ref"], pull["draft"], pull["base"]) == ("suture/issue-12-1", True, "main")
    assert set(pull["files"]) == {"app.py"}  # type: ignore[call-overload]
    assert (world.run.state, world.run.outcome) == (RunState.FINISHED, Outcome.FIXED)
    assert list(world.github.comments) == ["12:issue-12"]
    assert str(pull["url"]) in world.said()
    (check,) = world.github.state["checks"].values()
    assert (check["status"], check["conclusion"]) == ("completed", "success")
    assert world.checkouts.left() == []


async def test_everything_a_page_needs_is_kept(world: World) -> None:
    await fixed_issue(world)
    runs = world.services.store.runs
    assert set(runs.artifacts(world.run.id)) == {"result.json", "patch.diff", "evidence.md"}
    assert [event.what for event in runs.events(world.run.id)] == ["queued", "started", "stage", "published"]
    assert (world.run.money, world.run.tokens, world.run.base_sha) == (0.01, 15, "b" * 40)


async def test_the_permission_is_asked_before_any_clone_or_model_call(world: World) -> None:
    await world.send("issue_comment", build_comment_event(sender=STRANGER))
    assert [call["method"] for call in world.github.calls][-3:] == ["permission", "react", "sticky_comment"]
    assert (world.checkouts.exported, world.engine.requests, world.runs) == ([], [], [])


async def test_a_stranger_is_refused_once_then_met_with_silence(world: World) -> None:
    for _ in range(3):
        await world.send("issue_comment", build_comment_event(sender=STRANGER))
    assert len(world.github.comments) == 1
    assert "needs write permission" in world.said()
    assert world.github.state["reactions"] == [[1, 12, 77, "confused"]]


async def test_a_stranger_who_labels_is_not_even_refused(world: World) -> None:
    await world.send("issues", {**build_issue_event(), "sender": STRANGER})
    assert world.github.writes() == []
    assert world.runs == []


async def test_a_reader_may_not_command(world: World) -> None:
    world.github.allow("reader", "read")
    await world.send("issue_comment", build_comment_event(sender=build_user("reader", 9)))
    assert world.runs == []


@pytest.mark.parametrize("login", ["helper[bot]", "dependabot[bot]"])
async def test_bots_are_not_trusted(world: World, login: str) -> None:
    world.github.allow(login, "admin")
    await world.send("issue_comment", build_comment_event(sender=build_user(login, 55, "Bot")))
    assert (world.runs, world.github.writes()) == ([], [])


async def test_a_bot_whose_id_the_operator_lists_may_command(tmp_path: Path) -> None:
    world = World(tmp_path, operator=replace(OPERATOR, trusted_bots=frozenset({55})))
    world.github.add_report("issue-12", Report(id="issue-12", title="t", body="b"))
    await world.send("issue_comment", build_comment_event(sender=build_user("helper[bot]", 55, "Bot")))
    assert len(world.github.pulls) == 1
    world.close()


async def test_the_same_delivery_twice_is_done_once(world: World) -> None:
    for _ in range(2):
        await world.send("issues", build_issue_event(), guid="11111111-aaaa")
    assert (len(world.github.pulls), len(world.runs)) == (1, 1)


async def test_two_commands_at_once_give_one_pull_request(world: World) -> None:
    world.github.add_report("issue-12", Report(id="issue-12", title="t", body="b"))
    world.take("issue_comment", build_comment_event())
    world.take("issue_comment", build_comment_event(comment={"id": 78}))
    world.take("issues", build_issue_event())
    await world.queues.drain()
    assert (len(world.github.pulls), len(world.runs)) == (1, 1)
    assert "is on this already" in world.said()


async def test_one_label_told_in_two_events_is_answered_once(world: World) -> None:
    """GitHub sends ``opened`` and ``labeled`` for an issue that is opened with its label: nobody asked twice."""
    world.take("issues", build_issue_event("opened"))
    world.take("issues", build_issue_event("labeled"))
    await world.queues.drain()
    assert (len(world.github.pulls), list(world.github.comments)) == (1, ["12:issue-12"])
    assert "is on this already" not in world.said()


async def test_a_report_closed_during_the_run_is_not_published(world: World) -> None:
    """The result is kept and waits; a person may still approve it."""
    world.engine.on_start = lambda _request: world.github.close("issue-12")
    await world.send("issues", build_issue_event())
    assert (world.github.pulls, world.run.state) == ([], RunState.WAITING)
    assert "closed meanwhile" in world.said()
    await world.send("issue_comment", build_comment_event("/patch approve"))
    assert len(world.github.pulls) == 1


async def test_a_label_again_while_the_pull_request_is_open_starts_nothing(world: World) -> None:
    pull = await fixed_issue(world)
    await world.send("issues", build_issue_event())
    assert (len(world.runs), len(world.github.pulls)) == (1, 1)
    assert (
        str(pull["url"])
        in world.github.comments[
            "12:" + next(key.partition(":")[2] for key in world.github.comments if "answer" in key)
        ]
    )


async def test_a_second_report_of_the_flaw_is_linked_not_run_again(world: World) -> None:
    pull = await fixed_issue(world)
    await world.send("issues", build_issue_event(number=13))
    first, second = world.runs
    assert (second.linked_run_id, second.outcome, len(world.engine.requests)) == (first.id, "linked", 1)
    answer = next(text for place, text in world.github.comments.items() if place.startswith("13:"))
    assert "same flaw" in answer
    assert str(pull["url"]) in answer


async def test_two_reports_of_one_flaw_at_the_same_moment_are_run_once(world: World) -> None:
    for number in (12, 13):
        world.take("issues", build_issue_event(number=number))
    while any(job.workflow == "delivery" for job in world.queues.waiting):
        await world.queues.run_next()
    first = world.runs[0]
    await world.queues.drain()
    assert (len(world.engine.requests), len(world.github.pulls)) == (1, 1)
    assert world.runs[1].linked_run_id == first.id


async def test_retry_runs_even_a_linked_report(world: World) -> None:
    await fixed_issue(world)
    world.github.add_report("issue-13", Report(id="issue-13", title="Path traversal", body="other"))
    await world.send("issue_comment", build_comment_event("/patch retry", issue={"number": 13}))
    assert len(world.engine.requests) == 2


async def test_an_open_pull_request_of_a_person_is_linked_instead_of_doubled(world: World) -> None:
    theirs = PullRequest(
        number=3,
        url="https://github.example/3",
        head_ref="fix",
        head_sha="a",
        state="open",
        author_login="ann",
    )
    world.github.add_pull(theirs, text="Fixes #12")
    await world.send("issues", build_issue_event())
    assert (world.github.pulls, world.runs, world.checkouts.exported) == ([], [], [])
    assert "https://github.example/3" in world.said()


async def test_a_pull_request_of_ours_is_no_rival(world: World) -> None:
    ours = PullRequest(
        number=3, url="u", head_ref="suture/issue-9-1", head_sha="a", state="open", author_login="suture[bot]"
    )
    world.github.add_pull(ours, text="see #12")
    await world.send("issues", build_issue_event())
    assert len(world.runs) == 1


async def test_closed_issues_start_nothing(world: World) -> None:
    await world.send("issues", build_issue_event(state="closed"))
    await world.send("issue_comment", build_comment_event(issue={"state": "closed"}))
    assert world.runs == []


async def test_a_closed_pull_request_is_not_refined(world: World) -> None:
    pull = await fixed_issue(world)
    world.github.change_pull(pull["number"], state="closed")  # type: ignore[arg-type]
    await world.send("pull_request_review", review(pull))
    assert len(world.engine.requests) == 1


def review(pull: dict[str, object], body: str = "Too late a check.") -> dict[str, object]:
    return build_review_event(
        body,
        number=pull["number"],
        head={"ref": pull["head_ref"], "sha": pull["head_sha"], "repo": {"id": 1}},
    )


def failed_check(pull: dict[str, object], name: str = "unit tests") -> dict[str, object]:
    return build_check_event(
        name=name, head_sha=pull["head_sha"], pull_requests=[{"number": pull["number"]}],
        check_suite={"head_branch": pull["head_ref"]},
    )  # fmt: skip


async def test_a_review_with_changes_requested_refines_the_same_pull_request(world: World) -> None:
    pull = await fixed_issue(world)
    world.engine.results = [build_result(content=b"better\n")]
    await world.send("pull_request_review", review(pull))
    (after,) = world.github.pulls
    assert (after["number"], after["files"]["app.py"]) == (pull["number"], "YmV0dGVyCg==")
    assert after["head_sha"] != pull["head_sha"]
    request = world.engine.requests[-1]
    assert "Too late a check." in request.feedback
    assert request.previous is not None
    assert len(world.services.store.pulls.feedback(1)) == 1


async def test_a_reviews_remarks_on_lines_reach_the_refinement_cleaned(world: World) -> None:
    pull = await fixed_issue(world)
    world.github.add_remarks(501, "app.py:3: use <!-- hidden -->join\u200b")
    world.engine.results = [build_result(content=b"better\n")]
    await world.send("pull_request_review", review(pull))
    assert world.engine.requests[-1].feedback == "Too late a check.\n\napp.py:3: use join"


async def test_what_failed_checks_say_reaches_the_refinement(world: World) -> None:
    pull = await fixed_issue(world)
    world.github.add_failed_checks(str(pull["head_sha"]), "Check 'unit': failure\ntest_extract fails")
    world.engine.results = [build_result(content=b"better\n")]
    await world.send("check_run", failed_check(pull))
    assert "test_extract fails" in world.engine.requests[-1].feedback


@pytest.mark.parametrize("status", [403, 422])
async def test_feedback_that_cannot_be_read_stops_no_refinement(world: World, status: int) -> None:
    pull = await fixed_issue(world)
    world.github.fail("remarks", GitHubError("no", status=status, retryable=False))
    world.engine.results = [build_result(content=b"better\n")]
    await world.send("pull_request_review", review(pull))
    assert world.engine.requests[-1].feedback == "Too late a check."


async def test_the_check_shows_a_refinement_at_work_and_is_concluded_on_both_commits(world: World) -> None:
    """In progress on the commit that is there; then that one is superseded and the new one is judged."""
    pull = await fixed_issue(world)
    world.engine.results = [build_result(content=b"better\n")]
    world.engine.delay = 0.05
    await world.send("pull_request_review", review(pull))
    run = world.runs[-1].id
    shown = [call for call in world.github.calls if call["method"] == "check" and run in call["arguments"]]
    assert [call["arguments"][-1]["status"] for call in shown] == ["in_progress", "completed", "completed"]
    checks = world.github.state["checks"]
    old, new = checks[f"{pull['head_sha']}:{run}"], checks[f"{world.github.pulls[0]['head_sha']}:{run}"]
    assert (old["conclusion"], new["conclusion"]) == ("neutral", "success")


async def test_a_refinement_that_comes_to_the_same_patch_pushes_nothing(world: World) -> None:
    pull = await fixed_issue(world)
    await world.send("pull_request_review", review(pull))
    (after,) = world.github.pulls
    assert after["head_sha"] == pull["head_sha"]
    assert (world.runs[-1].outcome, "same patch" in world.runs[-1].reason) == (Outcome.NO_PATCH, True)


async def test_commits_of_people_are_never_overwritten(world: World) -> None:
    pull = await fixed_issue(world)
    world.github.change_pull(pull["number"], head_sha="d" * 40)  # type: ignore[arg-type]
    world.engine.results = [build_result(content=b"better\n")]
    await world.send("pull_request_review", review({**pull, "head_sha": "d" * 40}))
    assert (len(world.engine.requests), world.github.pulls[0]["head_sha"]) == (1, "d" * 40)


async def test_a_commit_that_comes_during_the_run_is_not_overwritten_either(world: World) -> None:
    pull = await fixed_issue(world)
    number = pull["number"]
    world.engine.results = [build_result(content=b"better\n")]
    world.engine.on_start = lambda _request: world.github.change_pull(number, head_sha="d" * 40)  # type: ignore[arg-type]
    await world.send("pull_request_review", review(pull))
    kept = world.services.store.pulls.get(1, number)  # type: ignore[arg-type]
    assert world.github.pulls[0]["head_sha"] == "d" * 40
    assert kept is not None
    assert kept.handed_over
    assert (world.runs[-1].state, "Not published" in world.runs[-1].reason) == (RunState.FINISHED, True)


async def test_on_a_handed_over_branch_only_a_command_refines_and_on_top(world: World) -> None:
    pull = await fixed_issue(world)
    world.github.change_pull(pull["number"], head_sha="d" * 40)  # type: ignore[arg-type]
    world.engine.results = [build_result(content=b"better\n")]
    on_pull = {"number": pull["number"], "pull_request": {}, "user": build_user("suture[bot]", 99, "Bot")}
    await world.send("issue_comment", build_comment_event("/patch refine keep it short", issue=on_pull))
    assert world.checkouts.exported[-1] == ("octo/demo", pull["head_ref"], "d" * 40)
    assert world.github.pulls[0]["head_sha"] not in {"d" * 40, pull["head_sha"]}


async def test_failed_checks_refine_at_most_so_often_then_a_person_is_asked_for(world: World) -> None:
    await fixed_issue(world)
    for number in range(4):
        world.engine.results = [build_result(content=f"try {number}\n".encode())]
        (pull,) = world.github.pulls
        await world.send("check_run", failed_check(pull))
    assert len(world.engine.requests) == 1 + 2
    assert world.github.state["labels"] == {str(world.github.pulls[0]["number"]): ["needs-human"]}


async def test_many_failed_checks_of_one_commit_ask_for_one_refinement(world: World) -> None:
    pull = await fixed_issue(world)
    world.engine.results = [build_result(content=b"better\n")]
    for name in ("lint", "tests", "docs"):
        world.take("check_run", failed_check(pull, name))
    await world.queues.drain()
    assert len(world.engine.requests) == 2
    assert world.github.state["labels"] == {}


async def test_a_patch_without_a_change_is_never_published(world: World) -> None:
    empty = build_result()
    assert empty.candidate is not None
    world.engine.results = [replace(empty, candidate=replace(empty.candidate, changes={}))]
    await world.send("issues", build_issue_event())
    assert (world.github.pulls, "publish" in world.github.writes()) == ([], False)


@pytest.mark.parametrize(
    ("state", "words"),
    [({"archived": True}, "archived"), ({"default_branch": ""}, "empty")],
)
async def test_archived_and_empty_repositories_are_left_alone(
    world: World, state: dict[str, object], words: str
) -> None:
    world.github.set_repository(1, **state)
    await world.send("issues", build_issue_event())
    assert (world.run.state, world.run.outcome) == (RunState.FINISHED, Outcome.DECLINED)
    assert words in world.run.reason
    assert (world.checkouts.exported, world.github.pulls) == ([], [])


async def test_an_event_of_an_archived_repository_starts_nothing(world: World) -> None:
    await world.send("issues", {**build_issue_event(), "repository": build_repository(archived=True)})
    assert world.runs == []


async def test_a_deleted_repository_ends_the_run_without_a_word(world: World) -> None:
    world.take("issues", build_issue_event())
    await world.queues.run_next()
    world.github.set_repository(1, gone=True)
    await world.queues.drain()
    assert (world.run.state, world.run.outcome) == (RunState.FINISHED, Outcome.CANCELLED)
    assert "publish" not in world.github.writes()


async def test_a_renamed_repository_is_served_under_its_new_name(world: World) -> None:
    world.github.set_repository(1, full_name="octo/renamed")
    await world.send("issues", build_issue_event())
    assert world.checkouts.exported[0][0] == "octo/renamed"
    assert "octo/renamed" in str(world.github.pulls[0]["url"])


async def test_a_transferred_repository_answers_to_its_new_installation(world: World) -> None:
    await fixed_issue(world)
    payload = build_issue_event(number=14, body="another flaw altogether")
    await world.send("issues", {**payload, "installation": {"id": 9}})
    assert world.runs[-1].installation_id == 9


async def test_forks_are_served_where_suture_is_installed(world: World) -> None:
    await world.send("issues", {**build_issue_event(), "repository": build_repository(fork=True)})
    assert len(world.github.pulls) == 1


async def test_a_suspended_installation_is_not_served(world: World) -> None:
    world.services.store.repositories.suspend(5, suspended=True)
    await world.send("issues", build_issue_event())
    assert (world.runs, world.github.writes()) == ([], [])


async def test_severity_orders_the_queue(world: World) -> None:
    for number, severity in ((1, Severity.LOW), (2, Severity.CRITICAL), (3, Severity.MODERATE)):
        report = Report(id=f"issue-{number}", title=f"flaw {number}", body=str(number), severity=severity)
        world.github.add_report(f"issue-{number}", report)
        world.take("issue_comment", build_comment_event(issue={"number": number}, comment={"id": number}))
    while any(job.workflow == "delivery" for job in world.queues.waiting):
        await world.queues.run_next()
    await world.queues.drain()
    assert [request.report.id for request in world.engine.requests] == ["issue-2", "issue-3", "issue-1"]


@pytest.mark.parametrize("event", ["star", "never_seen_before", "workflow_dispatch"])
async def test_unknown_events_are_acknowledged_and_ignored(world: World, event: str) -> None:
    await world.send(event, {"action": "created", "repository": build_repository()})
    assert world.services.store.deliveries.count() == {"ignored": 1}
    assert world.github.calls == []


async def test_unknown_actions_are_ignored(world: World) -> None:
    await world.send("issues", build_issue_event("pinned_by_magic"))
    assert world.services.store.deliveries.count() == {"ignored": 1}


async def test_a_payload_of_another_shape_fails_alone(world: World) -> None:
    await world.send("issues", {"action": "opened", "repository": build_repository(), "issue": "no"})
    await world.send("issues", build_issue_event())
    assert world.services.store.deliveries.count() == {"failed": 1, "done": 1}


async def test_the_kill_switch_of_a_repository_stops_everything(world: World) -> None:
    world.github.add_file("octo/demo", ".github/suture.yml", "enabled: false\n")
    await world.send("issues", build_issue_event())
    await world.send("issue_comment", build_comment_event())
    assert (world.runs, world.github.writes()) == ([], [])


async def test_the_operators_kill_switch_cannot_be_turned_back_on(tmp_path: Path) -> None:
    world = World(tmp_path, operator=replace(OPERATOR, enabled=False))
    world.github.add_file("octo/demo", ".github/suture.yml", "enabled: true\n")
    await world.send("issues", build_issue_event())
    assert (world.runs, world.github.writes()) == ([], [])
    world.close()


async def test_the_switch_thrown_while_a_run_waits_stops_it(world: World) -> None:
    world.take("issues", build_issue_event())
    await world.queues.run_next()
    world.services.store.repositories.set_config(1, text='["", "enabled: false"]', problem="", at=world.time)
    await world.queues.drain()
    assert (world.run.outcome, world.checkouts.exported) == (Outcome.DECLINED, [])


async def test_the_organisations_default_is_used(world: World) -> None:
    world.github.add_file("octo/.github", ".github/suture.yml", "enabled: false\n")
    await world.send("issues", build_issue_event())
    assert world.runs == []


async def test_not_reproduced_is_said_politely_and_nothing_is_opened(world: World) -> None:
    world.engine.results = [build_result(Outcome.NOT_REPRODUCED)]
    await world.send("issues", build_issue_event())
    assert world.github.pulls == []
    assert "could not be reproduced" in world.said()
    assert len(world.said().splitlines()) <= 25


@pytest.mark.parametrize(
    ("wish", "pulls", "state"),
    [
        ("pull_request", 1, RunState.FINISHED),
        ("comment", 0, RunState.WAITING),
        ("none", 0, RunState.FINISHED),
    ],
)
async def test_an_unproven_patch_goes_where_the_repository_wants_it(
    world: World, wish: str, pulls: int, state: RunState
) -> None:
    world.github.add_file("octo/demo", ".github/suture.yml", f"publish:\n  unproven: {wish}\n")
    world.engine.results = [build_result(Outcome.UNPROVEN)]
    await world.send("issues", build_issue_event())
    assert (len(world.github.pulls), world.run.state) == (pulls, state)


async def test_approve_opens_the_pull_request_of_a_result_that_waits(world: World) -> None:
    world.engine.results = [build_result(Outcome.UNPROVEN)]
    await world.send("issues", build_issue_event())
    await world.send("issue_comment", build_comment_event("/patch approve"))
    assert (len(world.github.pulls), world.run.approved_by) == (1, "maintainer")
    await world.send("issue_comment", build_comment_event("/patch approve", comment={"id": 79}))
    assert len(world.github.pulls) == 1


async def test_the_approve_button_does_the_same(world: World) -> None:
    world.engine.results = [build_result(Outcome.UNPROVEN)]
    await world.send("issues", build_issue_event())
    await world.send("check_run", build_button("approve", external_id=world.run.id))
    assert len(world.github.pulls) == 1


async def test_a_new_attempt_takes_the_place_of_a_result_that_waits(world: World) -> None:
    world.engine.results = [build_result(Outcome.UNPROVEN), build_result()]
    await world.send("issues", build_issue_event())
    await world.send("check_run", build_button("retry", external_id=world.run.id))
    assert [run.state for run in world.runs] == [RunState.FINISHED, RunState.FINISHED]
    assert [pull["head_ref"] for pull in world.github.pulls] == ["suture/issue-12-2"]


async def test_a_retry_while_the_pull_request_is_open_updates_it(world: World) -> None:
    pull = await fixed_issue(world)
    world.github.add_report("issue-12", Report(id="issue-12", title="t", body="b"))
    world.engine.results = [build_result(content=b"again\n")]
    await world.send("issue_comment", build_comment_event("/patch retry"))
    (after,) = world.github.pulls
    assert (after["number"], after["files"]["app.py"]) == (pull["number"], "YWdhaW4K")


async def test_stop_ends_a_run_that_waits(world: World) -> None:
    world.take("issues", build_issue_event())
    await world.queues.run_next()
    await world.send("issue_comment", build_comment_event("/patch stop"))
    assert (world.run.state, world.run.outcome) == (RunState.FINISHED, Outcome.CANCELLED)
    assert (world.engine.requests, world.github.pulls) == ([], [])
    assert "Stopped" in world.said()


async def test_stop_without_a_run_says_so(world: World) -> None:
    await world.send("issue_comment", build_comment_event("/patch stop"))
    assert "No run is on here" in world.said()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("status", "is finished. Outcome: fixed"),
        ("explain", "before vulnerable, after safe"),
        ("help", "`/patch stop`"),
        ("trace", "this version of Suture cannot do it yet"),
        ("backport 1.x", "this version of Suture cannot do it yet"),
        ("nonsense", "nonsense"),
    ],
)
async def test_each_command_is_answered(world: World, command: str, words: str) -> None:
    await fixed_issue(world)
    await world.send("issue_comment", build_comment_event(f"/patch {command}"))
    answer = next(text for place, text in world.github.comments.items() if "answer" in place)
    assert words in answer
    assert len(answer.splitlines()) <= 25
    assert not any(line.startswith("/patch") for line in answer.splitlines())


async def test_attack_on_another_pull_request_is_answered_honestly(world: World) -> None:
    await world.send(
        "issue_comment", build_comment_event("/patch attack", issue={"number": 4, "pull_request": {}})
    )
    assert "cannot do it yet" in world.said()


async def test_feedback_is_kept_with_the_rule_and_the_weakness(world: World) -> None:
    world.github.add_report("issue-12", Report(id="i", title="t", body="b", cwes=("CWE-22",)))
    await world.send("issue_comment", build_comment_event())
    (pull,) = world.github.pulls
    event = build_pull_event(
        "closed", merged=True, number=pull["number"],
        head={"ref": pull["head_ref"], "sha": pull["head_sha"], "repo": {"id": 1}},
    )  # fmt: skip
    await world.send("pull_request", event)
    (item,) = world.services.store.pulls.feedback(1)
    assert (item.what, item.origin, item.source, item.cwes) == ("merged", "rule", "path-join", "CWE-22")
    kept = world.services.store.pulls.get(1, pull["number"])
    assert kept is not None
    assert kept.state == "merged"


async def test_bursts_are_limited(tmp_path: Path) -> None:
    world = World(tmp_path, operator=replace(OPERATOR, runs_per_hour=2))
    for number in range(4):
        await world.send(
            "issues", build_issue_event(number=number + 1, body=f"flaw {number}", title=f"f{number}")
        )
    assert len(world.runs) == 2
    assert "Too many runs" in world.said()
    world.close()


async def test_open_pull_requests_are_limited(world: World) -> None:
    world.github.add_file("octo/demo", ".github/suture.yml", "limits:\n  open_pull_requests: 1\n")
    for number in (1, 2):
        await world.send(
            "issues", build_issue_event(number=number, body=f"flaw {number}", title=f"f{number}")
        )
    assert len(world.github.pulls) == 1


async def test_an_engine_that_breaks_ends_one_run_only(world: World) -> None:
    world.engine.results = [RuntimeError("a mistake of ours"), build_result()]
    await world.send("issues", build_issue_event())
    assert (world.run.state, world.run.outcome) == (RunState.FINISHED, Outcome.ERROR)
    assert "a mistake of ours" not in world.said()
    await world.send("issues", build_issue_event())
    assert len(world.github.pulls) == 1


async def test_a_comment_that_cannot_be_written_does_not_stop_the_work(world: World) -> None:
    world.github.fail("sticky_comment", GitHubError("locked", status=403, retryable=False), times=2)
    await world.send("issues", build_issue_event())
    assert len(world.github.pulls) == 1


async def test_a_protected_branch_is_reported_and_the_result_kept(world: World) -> None:
    world.github.fail("publish", GitHubError("rule violated", status=422, retryable=False))
    await world.send("issues", build_issue_event())
    assert (world.run.state, world.run.outcome) == (RunState.FINISHED, Outcome.FIXED)
    assert "rule violated" in world.run.reason
    assert "was not published" in world.said()


async def test_a_github_that_is_down_for_a_while_loses_nothing(world: World) -> None:
    for method in ("read_file", "permission", "publish", "check", "sticky_comment", "refresh"):
        world.github.fail(method, GitHubError("bad gateway", status=502, retryable=True), times=2)
    await world.send("issues", build_issue_event())
    assert (len(world.github.pulls), len(world.github.comments)) == (1, 1)


async def test_a_repository_that_forbids_automated_pull_requests_gets_one_comment(world: World) -> None:
    rule = Prohibition(path="CONTRIBUTING.md", sentence="No bots.")
    world.github.set_house_rules(HouseRules(prohibition=rule))
    await world.send("issues", build_issue_event())
    assert (world.github.pulls, world.run.state) == ([], RunState.WAITING)
    assert list(world.github.comments) == ["12:issue-12"]
    assert "`CONTRIBUTING.md`" in world.said()
    await world.send("issue_comment", build_comment_event("/patch approve"))
    assert len(world.github.pulls) == 1


async def test_template_style_and_owners_of_the_repository_are_respected(world: World) -> None:
    rules = HouseRules(
        template="## Checklist", owners="* @octo/security", commit_style=CommitStyle.CONVENTIONAL
    )
    world.github.set_house_rules(rules)
    await world.send("issues", build_issue_event())
    (pull,) = world.github.pulls
    assert pull["title"].startswith("fix: ")
    assert "## Checklist" in pull["body"]
    (call,) = [call for call in world.github.calls if call["method"] == "publish"]
    assert call["arguments"][0]["reviewers"] == ["octo/security"]


async def test_somebody_elses_fix_that_came_during_the_run_is_linked(world: World) -> None:
    theirs = PullRequest(
        number=3,
        url="https://github.example/3",
        head_ref="fix",
        head_sha="a",
        state="open",
        author_login="ann",
    )
    world.engine.on_start = lambda _request: world.github.add_pull(theirs, text="Fixes #12")
    await world.send("issues", build_issue_event())
    assert world.github.pulls == []
    assert "https://github.example/3" in world.said()


PRIVATE_WORDS = (GHSA, "Zip slip", "writes outside", "CWE-22", "suture/")


async def test_a_private_report_leaves_no_trace(world: World) -> None:
    await world.send("repository_advisory", build_advisory_event())
    assert world.run.state is RunState.WAITING
    assert (world.run.private, world.run.outcome) == (True, Outcome.FIXED)
    assert world.github.writes() == []
    assert world.traces(*PRIVATE_WORDS) == []
    assert "result.json" in world.services.store.runs.artifacts(world.run.id)


@pytest.mark.parametrize(
    "outcome", [Outcome.NOT_REPRODUCED, Outcome.UNPROVEN, Outcome.NO_PATCH, Outcome.ERROR]
)
async def test_a_private_report_leaves_no_trace_however_it_ends(world: World, outcome: Outcome) -> None:
    world.engine.results = [build_result(outcome)]
    await world.send("repository_advisory", build_advisory_event())
    assert (world.github.writes(), world.traces(*PRIVATE_WORDS)) == ([], [])


async def test_a_private_report_leaves_no_trace_when_the_engine_breaks(world: World) -> None:
    world.engine.results = [RuntimeError("Zip slip")]
    await world.send("repository_advisory", build_advisory_event())
    assert (world.github.writes(), world.traces(*PRIVATE_WORDS)) == ([], [])


async def test_a_public_report_of_a_flaw_known_in_private_does_not_tell(world: World) -> None:
    await world.send("repository_advisory", build_advisory_event())
    private = world.run
    await world.send("issues", build_issue_event(title=f"Problem {GHSA}", body="seen in the wild"))
    public = world.runs[-1]
    assert public.linked_run_id == ""
    assert private.id[:8] not in world.said()
    assert "same flaw" not in world.said()


async def test_a_private_result_is_published_only_when_a_person_approves(world: World) -> None:
    from bot.jobs.controlling import approve_run

    await world.send("repository_advisory", build_advisory_event())
    assert approve_run(world.services.store, world.queues, world.run.id, "admin")
    await world.queues.drain()
    (pull,) = world.github.pulls
    assert (world.run.state, world.run.approved_by) == (RunState.FINISHED, "admin")
    assert "Zip slip" not in str(pull)
    assert world.github.comments == {}
