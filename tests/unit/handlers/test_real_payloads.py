"""GitHub's own example payloads are read without error and mean what they should."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from handlers.intents import (
    AdvisoryBroadcast,
    Ask,
    CheckConfig,
    InstallationChange,
    RecordFeedback,
    RefineRun,
    Reindex,
    StartRun,
)
from handlers.registry import BY_NAME, interpret
from handlers.triggers import AlertThreshold
from tests.unit.handlers.builders import build_advisory, build_config
from tests.unit.handlers.webhooks import ENTERPRISE_SERVERS, example, examples, installed, schema

pytestmark = installed

EAGER = build_config(
    labels=frozenset({"bug", "security"}), code_scanning=AlertThreshold.ANY, dependabot=AlertThreshold.ANY
)
APP_EVENTS = (
    "check_run",
    "check_suite",
    "code_scanning_alert",
    "dependabot_alert",
    "github_app_authorization",
    "installation",
    "installation_repositories",
    "issue_comment",
    "issues",
    "ping",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "repository_advisory",
    "repository_vulnerability_alert",
    "security_advisory",
)
BROKEN_UPSTREAM = ("author", "publisher", "private_fork")
"""GitHub's schema gives these ``allOf`` an object and ``type`` null at once, which nothing satisfies."""


def kinds(event: str, payload: Any, config: Any = EAGER) -> list[type]:
    return [type(intent) for intent in interpret(event, payload, config)]


def test_all_examples_of_the_app_s_events_are_handled() -> None:
    """129 examples of the events an App like this gets, and 5 of review comments; not one is refused."""
    chosen = [(name, payload) for name in APP_EVENTS for payload in examples().get(name, ())]
    assert len(chosen) == 134
    for name, payload in chosen:
        interpret(name, payload, EAGER)


def test_the_examples_of_enterprise_servers_are_handled_too() -> None:
    read = [
        interpret(name, payload, EAGER)
        for host in ENTERPRISE_SERVERS
        for name, many in examples(host).items()
        for payload in many
    ]
    assert len(read) == 397
    assert {type(intent) for intents in read for intent in intents} == {
        StartRun,
        InstallationChange,
        AdvisoryBroadcast,
    }


def test_every_other_example_is_handled_or_ignored() -> None:
    others = [(name, one) for name, many in examples().items() if name not in APP_EVENTS for one in many]
    assert len(others) == 195
    for name, payload in others:
        assert name in BY_NAME or interpret(name, payload, EAGER) == ()


@pytest.mark.parametrize(
    ("event", "action", "expected"),
    [
        ("issues", "labeled", [StartRun]),
        ("issues", "opened", [StartRun]),
        ("issues", "edited", []),
        ("issue_comment", "created", []),
        ("security_advisory", "published", [AdvisoryBroadcast]),
        ("security_advisory", "updated", [AdvisoryBroadcast]),
        ("security_advisory", "withdrawn", []),
        ("dependabot_alert", "created", [StartRun]),
        ("dependabot_alert", "fixed", []),
        ("code_scanning_alert", "fixed", []),
        ("installation", "created", [InstallationChange]),
        ("installation", "deleted", [InstallationChange]),
        ("installation", "suspend", [InstallationChange]),
        ("installation_repositories", "added", [InstallationChange]),
        ("installation_repositories", "removed", [InstallationChange]),
        ("pull_request", "closed", []),
        ("check_run", "completed", []),
        ("push", None, []),
    ],
)
def test_the_first_example_means(event: str, action: str | None, expected: list[type]) -> None:
    assert kinds(event, example(event, action)) == expected


def test_a_labelled_issue_of_github_becomes_a_report() -> None:
    (intent,) = interpret("issues", example("issues", "labeled"), EAGER)
    assert isinstance(intent, StartRun)
    assert intent.report is not None
    assert (intent.report.id, intent.report.title) == ("issue-1", "Spelling error in the README file")
    assert (intent.repository.full_name, intent.actor.login) == ("Codertocat/Hello-World", "Codertocat")


def test_a_command_in_a_real_comment_is_found() -> None:
    payload = example("issue_comment", "created")
    payload["comment"]["body"] = "Thank you.\r\n\r\n/patch status"
    (intent,) = interpret("issue_comment", payload, EAGER)
    assert isinstance(intent, Ask)
    assert (intent.command, intent.subject.number) == ("status", payload["issue"]["number"])
    assert intent.subject.comment_id == payload["comment"]["id"]


def test_pushes_to_the_default_branch_are_found_among_the_examples() -> None:
    found = [kinds("push", payload) for payload in examples()["push"]]
    assert [kind for kind in found if kind] == [[CheckConfig, Reindex]] * 2


def test_the_global_advisory_names_its_package_once() -> None:
    (intent,) = interpret("security_advisory", example("security_advisory", "published"), EAGER)
    assert isinstance(intent, AdvisoryBroadcast)
    assert (intent.packages, intent.report.id) == ((("pip", "django"),), "GHSA-rf4j-j272-fj86")
    assert intent.report.fixed == ("2.0.2", "1.11.10")


def test_a_real_scanner_s_finding_runs_when_it_lies_on_the_default_branch() -> None:
    payload = example("code_scanning_alert", "reopened")
    payload["repository"]["default_branch"] = "main"
    assert kinds("code_scanning_alert", payload) == [StartRun]
    assert kinds("code_scanning_alert", payload, build_config()) == []


def as_ours(payload: dict[str, Any]) -> dict[str, Any]:
    """Let a real pull request be one that Suture opened."""
    pull = payload["pull_request"]
    pull["head"]["ref"] = "suture/issue-1-1"
    pull["user"] = pull["user"] | {"login": "suture[bot]", "type": "Bot"}
    return payload


def test_a_real_pull_request_s_ending_is_recorded_when_it_is_ours() -> None:
    (intent,) = interpret("pull_request", as_ours(example("pull_request", "closed")), EAGER)
    assert isinstance(intent, RecordFeedback)
    assert intent.what == "closed"


def test_a_real_review_refines_when_it_requests_changes_of_us() -> None:
    payload = as_ours(example("pull_request_review", "submitted"))
    assert kinds("pull_request_review", payload) == []
    payload["review"] |= {"state": "changes_requested", "body": "Too wide."}
    assert kinds("pull_request_review", payload) == [RefineRun]


def test_a_real_failed_check_refines_when_it_is_on_our_branch() -> None:
    payload = example("check_run", "completed")
    payload["check_run"]["check_suite"]["head_branch"] = "suture/issue-1-1"
    (intent,) = interpret("check_run", payload, EAGER)
    assert isinstance(intent, RefineRun)
    assert intent.pull_number == payload["check_run"]["pull_requests"][0]["number"]


@pytest.mark.parametrize(("action", "state"), [("reported", "triage"), ("published", "published")])
def test_the_composed_advisory_is_one_by_github_s_schema(action: str, state: str) -> None:
    """No example of this event is published, so ours is held against the schema, real parts around it."""
    payload = composed(action, state)
    assert violations(f"webhook-repository-advisory-{action}", payload) == []
    assert kinds("repository_advisory", payload) == [StartRun]


def test_the_schema_check_can_fail() -> None:
    assert violations("webhook-repository-advisory-reported", composed("published", "no such state"))


def composed(action: str, state: str) -> dict[str, Any]:
    """Return a repository advisory in the envelope of a real issue event of today's shape."""
    around = example("issues", "pinned")
    custom = {"has_discussions": False, "custom_properties": {}}
    return {
        "action": action,
        "repository": around["repository"] | custom,
        "sender": around["sender"],
        "installation": {"id": 5, "node_id": "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uNQ=="},
        "repository_advisory": build_advisory(state=state),
    }


def violations(name: str, payload: dict[str, Any]) -> list[str]:
    """Return what GitHub's schema says against a payload, but for the three keys it gets wrong itself."""
    document = copy.deepcopy(schema())
    properties = document["components"]["schemas"]["repository-advisory"]["properties"]
    for key in BROKEN_UPSTREAM:
        properties[key] = {}
    root = document | {"$ref": f"#/components/schemas/{name}"}
    validator = Draft202012Validator(root)
    return [f"{error.json_path}: {error.message}"[:300] for error in validator.iter_errors(payload)]
