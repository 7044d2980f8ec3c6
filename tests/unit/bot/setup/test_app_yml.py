"""``app.yml`` asks for what Suture uses and understands, and for nothing else."""

from __future__ import annotations

import pytest

from bot.github import grants
from bot.setup.errors import SetupError
from bot.setup.manifest import (
    NAME_CHARACTERS,
    WEBHOOK_PATH,
    manifest,
    read_name,
    read_registration,
    suggested_name,
)
from handlers.registry import EVENTS

SENT_TO_EVERY_APP = {"installation", "installation_repositories"}

NEEDS = {
    "issues": "issues",
    "issue_comment": "issues",
    "repository_advisory": "repository_advisories",
    "dependabot_alert": "vulnerability_alerts",
    "code_scanning_alert": "security_events",
    "pull_request": "pull_requests",
    "pull_request_review": "pull_requests",
    "pull_request_review_comment": "pull_requests",
    "check_run": "checks",
    "check_suite": "checks",
    "push": "contents",
}
"""What GitHub requires before an App may subscribe to an event; ``security_advisory`` needs nothing."""


def test_it_subscribes_to_exactly_the_events_the_handlers_understand() -> None:
    understood = {event.name for event in EVENTS} - SENT_TO_EVERY_APP
    assert set(read_registration().events) == understood
    assert list(read_registration().events) == sorted(understood)


def test_it_asks_for_exactly_the_permissions_the_client_uses() -> None:
    asked = {name: permission.level for name, permission in read_registration().permissions.items()}
    assert asked == grants.requested()


def test_every_event_is_allowed_by_a_permission() -> None:
    registration = read_registration()
    missing = [e for e in registration.events if NEEDS.get(e, "metadata") not in registration.permissions]
    assert missing == []


def test_what_must_never_be_asked_for_is_not() -> None:
    """Without ``workflows`` GitHub refuses a change to them, whatever a patch holds."""
    dangerous = {
        "workflows",
        "administration",
        "secrets",
        "actions",
        "members",
        "organization_administration",
    }
    assert dangerous & set(read_registration().permissions) == set()
    assert not read_registration().public


def test_the_manifest_carries_all_of_it() -> None:
    registration = read_registration()
    made = manifest(
        registration,
        name="suture-octo",
        public_url="https://suture.example.org",
        redirect_url="http://127.0.0.1:1/callback",
    )
    assert made["hook_attributes"] == {"url": f"https://suture.example.org{WEBHOOK_PATH}", "active": True}
    assert made["default_events"] == list(registration.events)
    assert made["default_permissions"] == {k: v.level for k, v in registration.permissions.items()}
    assert (made["name"], made["url"], made["redirect_url"]) == (
        "suture-octo",
        "https://suture.example.org",
        "http://127.0.0.1:1/callback",
    )


@pytest.mark.parametrize("name", ["", "   ", "x" * (NAME_CHARACTERS + 1)])
def test_names_that_github_refuses_are_refused_here(name: str) -> None:
    with pytest.raises(SetupError, match="needs a name"):
        read_name(name)


def test_names_are_tidied_and_suggested() -> None:
    assert read_name("  my   suture ") == "my suture"
    assert suggested_name("octo") == "suture-octo"
    assert suggested_name("") != suggested_name("")
    assert read_name(suggested_name("o" * 60))
