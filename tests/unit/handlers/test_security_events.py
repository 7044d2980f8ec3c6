"""Advisories and alerts: what is not published is private, and alerts run only where they are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from agent.domain.report import Severity, Visibility
from handlers.errors import PayloadError
from handlers.intents import AdvisoryBroadcast, Permission, ReportKind, StartRun
from handlers.registry import interpret
from handlers.triggers import AdvisoryTrigger, AlertThreshold
from tests.unit.handlers.builders import (
    GHSA,
    build_advisory_event,
    build_config,
    build_dependabot_event,
    build_global_advisory_event,
    build_scanning_event,
)

CONFIG = build_config()


@pytest.mark.parametrize(
    ("action", "state", "visibility"),
    [
        ("reported", "triage", Visibility.PRIVATE),
        ("reported", "draft", Visibility.PRIVATE),
        ("reported", "published", Visibility.PRIVATE),
        ("published", "draft", Visibility.PRIVATE),
        ("published", "a state of the future", Visibility.PRIVATE),
        ("published", "published", Visibility.PUBLIC),
    ],
)
def test_only_a_published_advisory_is_public(action: str, state: str, visibility: Visibility) -> None:
    (intent,) = interpret("repository_advisory", build_advisory_event(action, state=state), CONFIG)
    assert isinstance(intent, StartRun)
    assert intent.report is not None
    assert (visibility, GHSA, ("CWE-22",), Severity.HIGH) == (
        intent.report.visibility,
        intent.report.id,
        intent.report.cwes,
        intent.report.severity,
    )
    assert (
        intent.subject.kind,
        intent.subject.key,
        intent.subject.number,
        intent.requires,
    ) == (ReportKind.REPOSITORY_ADVISORY, GHSA, None, Permission.SYSTEM)


@pytest.mark.parametrize(
    ("wanted", "reported", "published"),
    [(frozenset(), 0, 0), ({AdvisoryTrigger.REPORTED}, 1, 0), ({AdvisoryTrigger.PUBLISHED}, 0, 1)],
)
def test_a_repository_chooses_which_advisories_run(wanted: Any, reported: int, published: int) -> None:
    config = build_config(advisories=frozenset(wanted))
    counts = [
        len(interpret("repository_advisory", build_advisory_event(action), config))
        for action in ("reported", "published")
    ]
    assert [reported, published] == counts


def test_a_reporter_who_is_gone_is_no_obstacle() -> None:
    payload = build_advisory_event()
    del payload["sender"]
    (intent,) = interpret("repository_advisory", payload, CONFIG)
    assert isinstance(intent, StartRun)
    assert intent.actor.login == "ghost"


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("repository_advisory", build_advisory_event(summary="", description="<!-- x -->")),
        ("security_advisory", build_global_advisory_event(summary="", description="")),
    ],
)
def test_an_advisory_without_text_is_refused_visibly(event: str, payload: Any) -> None:
    with pytest.raises(PayloadError, match="no visible text") as caught:
        interpret(event, payload, CONFIG)
    assert event == caught.value.event


def test_a_global_advisory_names_its_packages_once() -> None:
    (intent,) = interpret("security_advisory", build_global_advisory_event(), CONFIG)
    assert isinstance(intent, AdvisoryBroadcast)
    assert (
        intent.packages,
        intent.action,
        intent.report.visibility,
    ) == ((("pip", "demo"),), "published", Visibility.PUBLIC)


def test_a_withdrawn_advisory_asks_for_nothing() -> None:
    assert interpret("security_advisory", build_global_advisory_event("withdrawn"), CONFIG) == ()


@pytest.mark.parametrize(
    ("threshold", "admitted"),
    [
        (AlertThreshold.NEVER, []),
        (AlertThreshold.CRITICAL, ["critical"]),
        (AlertThreshold.HIGH, ["critical", "high"]),
        (AlertThreshold.MODERATE, ["critical", "high", "medium"]),
        (AlertThreshold.LOW, ["critical", "high", "medium", "low"]),
        (AlertThreshold.ANY, ["critical", "high", "medium", "low", None]),
    ],
)
def test_alerts_run_from_the_chosen_severity_up(threshold: AlertThreshold, admitted: list[str]) -> None:
    config = build_config(code_scanning=threshold, dependabot=threshold)
    levels = ["critical", "high", "medium", "low", None]
    scanned = [
        level
        for level in levels
        if interpret("code_scanning_alert", build_scanning_event(severity=level), config)
    ]
    depended = [
        level
        for level in levels[:-1]
        if interpret("dependabot_alert", build_dependabot_event(severity=str(level)), config)
    ]
    assert (admitted, [level for level in admitted if level]) == (scanned, depended)


@pytest.mark.parametrize(
    ("event", "payload", "key"),
    [
        ("dependabot_alert", build_dependabot_event(), "dependabot-3"),
        ("code_scanning_alert", build_scanning_event(), "code-scanning-4"),
        ("code_scanning_alert", build_scanning_event("reopened_by_user", ref=None), "code-scanning-4"),
    ],
)
def test_an_alert_s_text_is_fetched_later_and_has_no_public_place(event: str, payload: Any, key: str) -> None:
    config = build_config(code_scanning=AlertThreshold.ANY, dependabot=AlertThreshold.ANY)
    (intent,) = interpret(event, payload, config)
    assert isinstance(intent, StartRun)
    assert (None, key, None) == (intent.report, intent.subject.key, intent.subject.number)


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("dependabot_alert", build_dependabot_event(state="dismissed")),
        ("dependabot_alert", build_dependabot_event("fixed")),
        ("code_scanning_alert", build_scanning_event("fixed")),
        ("code_scanning_alert", build_scanning_event(ref="refs/pull/3/merge")),
        ("code_scanning_alert", build_scanning_event(ref="refs/heads/suture/issue-1-1")),
    ],
)
def test_settled_alerts_and_those_on_other_branches_do_not_run(event: str, payload: Any) -> None:
    config = build_config(code_scanning=AlertThreshold.ANY, dependabot=AlertThreshold.ANY)
    assert interpret(event, payload, config) == ()
