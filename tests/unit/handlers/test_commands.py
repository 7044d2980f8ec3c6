"""Each command becomes one intent with the permission it needs; others are answered in one line."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.commands.catalogue import COMMANDS
from handlers.intents import (
    AnyIntent,
    ApproveRun,
    Ask,
    CancelRun,
    Permission,
    RefineRun,
    RejectCommand,
    ReportKind,
    StartRun,
)
from handlers.registry import interpret
from tests.unit.handlers.builders import build_comment_event, build_config, build_ourselves, build_user

ON_OWN_PULL = {"issue": {"pull_request": {"url": "x"}, "user": build_ourselves(), "number": 30}}
ON_OTHER_PULL = {"issue": {"pull_request": {"url": "x"}, "number": 31}}


def only(body: str, *, config: Any = None, **changes: Any) -> AnyIntent:
    """Return the one intent of a comment."""
    (intent,) = interpret("issue_comment", build_comment_event(body, **changes), config or build_config())
    return intent


def reason(body: str, **changes: Any) -> str:
    intent = only(body, **changes)
    assert isinstance(intent, RejectCommand)
    return intent.reason


def test_a_bare_command_starts_a_run_of_the_issue() -> None:
    intent = only("/patch")
    assert isinstance(intent, StartRun)
    assert (
        intent.command,
        intent.model,
        intent.depth,
        intent.retry,
        intent.report,
    ) == ("patch", "", "", False, None)
    assert (
        intent.subject.kind,
        intent.subject.key,
        intent.subject.number,
        intent.subject.comment_id,
    ) == (ReportKind.ISSUE, "issue-12", 12, 77)
    assert (
        intent.requires,
        intent.actor.login,
        intent.repository.installation_id,
    ) == (Permission.WRITE, "maintainer", 5)


@pytest.mark.parametrize(
    ("body", "model", "depth"),
    [
        ("/patch --depth quick", "", "quick"),
        ("/patch retry --model qwen3:8b --depth=thorough", "qwen3:8b", "thorough"),
        ("/patch RETRY  --depth standard\t--model=org/name", "org/name", "standard"),
        ("/patch retry —depth quick", "", "quick"),
    ],
)
def test_options_may_be_written_either_way(body: str, model: str, depth: str) -> None:
    intent = only(body)
    assert isinstance(intent, StartRun)
    assert (model, depth) == (intent.model, intent.depth)


def test_retry_works_on_suture_s_pull_request() -> None:
    intent = only("/patch retry", **ON_OWN_PULL)
    assert isinstance(intent, StartRun)
    assert (
        intent.retry,
        intent.subject.kind,
        intent.subject.key,
    ) == (True, ReportKind.PULL_REQUEST, "pull-30")


def test_refine_takes_the_rest_of_the_comment() -> None:
    intent = only("/patch refine keep the old name\nand the old signature\n", **ON_OWN_PULL)
    assert isinstance(intent, RefineRun)
    assert (
        intent.pull_number,
        intent.feedback,
        intent.cause,
    ) == (30, "keep the old name\nand the old signature", "command")


def test_refine_on_an_issue_leaves_the_pull_request_to_be_found() -> None:
    intent = only("/patch refine shorter")
    assert isinstance(intent, RefineRun)
    assert intent.subject is not None
    assert (intent.pull_number, intent.subject.key) == (0, "issue-12")


@pytest.mark.parametrize("name", ["explain", "status", "help"])
def test_reading_commands_need_triage_only(name: str) -> None:
    intent = only(f"/patch {name}", config=build_config(permission=Permission.ADMIN))
    assert isinstance(intent, Ask)
    assert (name, (), Permission.TRIAGE) == (intent.command, intent.arguments, intent.requires)


def test_trace_backport_and_attack_ask() -> None:
    trace, backport, attack = (
        only("/patch trace"),
        only("/patch backport 1.x release/2.0"),
        only("/patch attack", **ON_OTHER_PULL),
    )
    assert isinstance(trace, Ask)
    assert isinstance(backport, Ask)
    assert isinstance(attack, Ask)
    assert [trace.command, backport.command, attack.command] == ["trace", "backport", "attack"]
    assert backport.arguments == ("1.x", "release/2.0")


def test_stop_and_approve() -> None:
    assert isinstance(only("/patch stop"), CancelRun)
    assert isinstance(only("/patch approve"), ApproveRun)


@pytest.mark.parametrize("asked", [Permission.TRIAGE, Permission.WRITE, Permission.ADMIN])
def test_the_repository_decides_what_commands_need_but_publishing_needs_write(asked: Permission) -> None:
    config = build_config(permission=asked)
    assert asked == only("/patch", config=config).requires  # type: ignore[union-attr]  # an intent of a command
    least = Permission.ADMIN if asked is Permission.ADMIN else Permission.WRITE
    assert least == only("/patch approve", config=config).requires  # type: ignore[union-attr]  # as above


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("/patch please", "`please` is no command; `/patch help` lists them."),
        ("/patch @team", "That is no command; `/patch help` lists them."),
        ("/patch stop now", "`now` is too much; the command is `/patch stop`."),
        ("/patch stop --depth quick", "`--depth` is no option here; the command is `/patch stop`."),
        ("/patch --depth deep", "`--depth` is one of `quick`, `standard`, `thorough`."),
        ("/patch retry --model", "`--model` needs the name of a model."),
        ("/patch retry --model --depth quick", "`--model` needs the name of a model."),
        ("/patch --depth quick --depth quick", "`--depth` is given twice."),
        ("/patch refine", "Say what to change: `/patch refine TEXT`."),
        ("/patch refine <!-- hidden -->", "Say what to change: `/patch refine TEXT`."),
        (
            "/patch backport",
            "Name one to 10 branches; the command is `/patch backport BRANCH…`.",
        ),
        (
            "/patch backport " + "b " * 11,
            "Name one to 10 branches; the command is `/patch backport BRANCH…`.",
        ),
        ("/patch backport a..b", "`a..b` is no branch name."),
        ("/patch backport ok -x", "`-x` is no branch name."),
        ("/patch stop\n\n/patch retry", "One command a comment, please; nothing was done."),
        (
            "/patch attack",
            "`/patch attack` works only on a pull request of Suture or any other pull request.",
        ),
    ],
)
def test_what_is_not_understood_is_answered_with_one_line(body: str, said: str) -> None:
    assert said == reason(body)


def test_a_model_outside_the_allowed_ones_is_refused_by_name() -> None:
    config = build_config(models=("small", "large"))
    assert (
        reason("/patch retry --model huge", config=config)
        == "`huge` is not allowed here; choose `small`, `large`."
    )
    assert (
        reason("/patch retry --model huge", config=build_config(models=()))
        == "`huge` is not allowed here; no model can be chosen."
    )
    intent = only("/patch retry --model large", config=config)
    assert isinstance(intent, StartRun)
    assert intent.model == "large"


@pytest.mark.parametrize(
    "name", ["", "retry", "refine x", "approve", "explain", "stop", "trace", "backport b"]
)
def test_on_a_stranger_s_pull_request_only_attack_and_help_work(name: str) -> None:
    assert "works only on" in reason(f"/patch {name}", **ON_OTHER_PULL)


def test_a_bare_command_works_on_issues_only() -> None:
    assert "works only on an issue" in reason("/patch", **ON_OWN_PULL)


@pytest.mark.parametrize("name", ["", "retry", "refine x", "approve"])
def test_nothing_starts_on_a_closed_issue(name: str) -> None:
    assert reason(f"/patch {name}", issue={"state": "closed"}) == "This is closed; reopen it first."


@pytest.mark.parametrize("name", ["status", "help", "explain", "stop", "trace", "backport 1.x"])
def test_a_closed_issue_still_answers(name: str) -> None:
    assert not isinstance(only(f"/patch {name}", issue={"state": "closed"}), RejectCommand)


def test_bots_are_not_heard_unless_their_id_is_listed() -> None:
    bot = build_user("renovate[bot]", 29, "Bot")
    disguised = build_user("renovate[bot]", 29, "User")
    assert interpret("issue_comment", build_comment_event(sender=bot), build_config()) == ()
    assert interpret("issue_comment", build_comment_event(sender=disguised), build_config()) == ()
    listed = only("/patch", config=build_config(trusted_bots=frozenset({29})), sender=bot)
    assert isinstance(listed, StartRun)
    assert Permission.SYSTEM is listed.requires


def test_suture_never_answers_itself_even_when_it_is_listed() -> None:
    config = build_config(trusted_bots=frozenset({99}))
    assert interpret("issue_comment", build_comment_event(sender=build_ourselves()), config) == ()
    through = {"performed_via_github_app": {"id": config.app_id, "slug": "suture"}}
    assert interpret("issue_comment", build_comment_event(comment=through), config) == ()


def test_a_comment_through_another_app_is_its_author_s() -> None:
    assert isinstance(only("/patch", comment={"performed_via_github_app": {"id": 1}}), StartRun)


def test_text_that_carries_suture_s_marker_is_a_copy_of_its_own() -> None:
    body = "<!-- suture 5f0c -->\nFixed.\n\n/patch stop"
    assert interpret("issue_comment", build_comment_event(body), build_config()) == ()


@pytest.mark.parametrize("action", ["edited", "deleted", "pinned"])
def test_only_new_comments_count(action: str) -> None:
    assert interpret("issue_comment", build_comment_event(action=action), build_config()) == ()


def test_an_empty_comment_asks_for_nothing() -> None:
    assert interpret("issue_comment", build_comment_event(None), build_config()) == ()


def test_commands_have_names_of_their_own_and_a_usage_that_says_them() -> None:
    assert len(COMMANDS) == len({command.name for command in COMMANDS})
    for command in COMMANDS:
        assert command.usage.startswith(f"`/patch {command.name}".rstrip())
