"""The registry knows its events, ignores the rest, obeys the kill switch, and refuses in one way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from handlers.errors import PayloadError
from handlers.intents import InstallationChange, Repository, StartRun
from handlers.registry import EVENTS, WHEN_DISABLED, interpret
from handlers.triggers import AlertThreshold, TriggerConfig
from tests.unit.handlers.builders import (
    build_advisory_event,
    build_config,
    build_installation_event,
    build_issue_event,
    build_repositories_event,
    build_repository,
)
from tests.unit.handlers.webhooks import sample

if TYPE_CHECKING:
    from handlers.events.event import Event

OPEN = build_config(code_scanning=AlertThreshold.ANY, dependabot=AlertThreshold.ANY)


ALL = pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)


def test_every_event_is_listed_once() -> None:
    assert len(EVENTS) == len({event.name for event in EVENTS})


@ALL
def test_every_event_leads_to_an_intent(event: Event[Any]) -> None:
    assert interpret(event.name, sample(event), OPEN)


@ALL
def test_unknown_actions_are_ignored_whatever_they_carry(event: Event[Any]) -> None:
    if event.actions:
        assert interpret(event.name, {"action": "invented"}, OPEN) == ()
        assert interpret(event.name, {"action": ["created"]}, OPEN) == ()


@pytest.mark.parametrize("event", ["ping", "star", "", "__class__", "an_event_of_the_future"])
def test_unknown_events_are_ignored(event: str) -> None:
    assert interpret(event, {"zen": "Keep it logically awesome."}, OPEN) == ()


@ALL
@pytest.mark.parametrize("payload", [None, [], "text", 3, True])
def test_a_payload_that_is_no_object_is_refused(event: Event[Any], payload: Any) -> None:
    with pytest.raises(PayloadError, match="an object was expected"):
        interpret(event.name, payload, OPEN)


@ALL
def test_while_switched_off_nothing_is_begun(event: Event[Any]) -> None:
    intents = interpret(event.name, sample(event), build_config(enabled=False))
    assert all(isinstance(intent, WHEN_DISABLED) for intent in intents)


def test_a_refusal_names_the_place_and_never_the_value() -> None:
    payload = build_issue_event()
    payload["repository"] = build_repository(id="secret-value", full_name="../../etc")
    with pytest.raises(PayloadError) as caught:
        interpret("issues", payload, OPEN)
    assert (caught.value.event, len(caught.value.problems)) == ("issues", 2)
    assert "repository.id: Input should be a valid integer" in str(caught.value)
    assert "secret-value" not in str(caught.value)
    assert "etc" not in str(caught.value)
    assert not caught.value.retryable


def test_a_refusal_stays_short() -> None:
    with pytest.raises(PayloadError) as caught:
        interpret("push", {"commits": [{"added": 1, "removed": 1}] * 100}, OPEN)
    assert len(caught.value.problems) == 5


def test_the_repository_is_read_in_full() -> None:
    payload = build_issue_event()
    payload["repository"] = build_repository(private=True, archived=True, fork=True)
    (intent,) = interpret("issues", payload, OPEN)
    assert isinstance(intent, StartRun)
    expected = Repository(
        id=1,
        full_name="octo/demo",
        installation_id=5,
        default_branch="main",
        private=True,
        archived=True,
        fork=True,
    )
    assert expected == intent.repository


def test_a_delivery_that_names_no_installation_says_zero() -> None:
    payload = build_advisory_event()
    del payload["installation"]
    (intent,) = interpret("repository_advisory", payload, OPEN)
    assert isinstance(intent, StartRun)
    assert intent.repository.installation_id == 0


@pytest.mark.parametrize(
    ("action", "added", "removed"),
    [("created", 1, 0), ("deleted", 0, 1), ("suspend", 0, 0), ("unsuspend", 0, 0)],
)
def test_installations_name_what_came_and_went(action: str, added: int, removed: int) -> None:
    (intent,) = interpret("installation", build_installation_event(action), OPEN)
    assert isinstance(intent, InstallationChange)
    assert (5, "octo", action, added, removed) == (
        intent.installation_id,
        intent.account,
        intent.what,
        len(intent.added),
        len(intent.removed),
    )


@pytest.mark.parametrize(("account", "name"), [(None, ""), ({"slug": "big-co"}, "big-co")])
def test_an_account_may_be_gone_or_an_enterprise(account: Any, name: str) -> None:
    payload = build_installation_event(repositories=None, installation={"id": 5, "account": account})
    (intent,) = interpret("installation", payload, OPEN)
    assert isinstance(intent, InstallationChange)
    assert (name, ()) == (intent.account, intent.added)


@pytest.mark.parametrize("action", ["added", "removed"])
def test_repositories_come_and_go(action: str) -> None:
    (intent,) = interpret("installation_repositories", build_repositories_event(action), OPEN)
    assert isinstance(intent, InstallationChange)
    names = {"added": intent.added, "removed": intent.removed}[action]
    assert [repository.full_name for repository in names] == ["octo/other"]
    assert len(intent.added) + len(intent.removed) == 1


def test_without_a_slug_nobody_is_taken_for_suture() -> None:
    assert TriggerConfig().bot_login == ""
    assert len(interpret("issues", build_issue_event(), TriggerConfig())) == 1
