"""Every event Suture understands: one line each. Anything else is acknowledged and ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from handlers.events import (
    check_run,
    check_suite,
    code_scanning_alert,
    dependabot_alert,
    installation,
    installation_repositories,
    issue_comment,
    issues,
    pull_request,
    pull_request_review,
    pull_request_review_comment,
    push,
    repository_advisory,
    security_advisory,
)
from handlers.intents import AdvisoryBroadcast, CancelRun, CheckConfig, InstallationChange, RecordFeedback

if TYPE_CHECKING:
    from handlers.events.event import Event
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig

EVENTS: tuple[Event[Any], ...] = (
    issues.EVENT,
    issue_comment.EVENT,
    repository_advisory.EVENT,
    security_advisory.EVENT,
    dependabot_alert.EVENT,
    code_scanning_alert.EVENT,
    pull_request.EVENT,
    pull_request_review.EVENT,
    pull_request_review_comment.EVENT,
    check_run.EVENT,
    check_suite.EVENT,
    push.EVENT,
    installation.EVENT,
    installation_repositories.EVENT,
)

BY_NAME = {event.name: event for event in EVENTS}

WHEN_DISABLED = (CheckConfig, InstallationChange, AdvisoryBroadcast, CancelRun, RecordFeedback)
"""What still counts while ``enabled`` is false: switching on again, leaving, stopping, and the record."""


def interpret(event: str, payload: object, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    """Return what a delivery asks for.

    ``event`` is the ``X-GitHub-Event`` header, ``payload`` the decoded JSON, ``config`` that of the
    repository (the default one for events about no repository). Unknown events and actions give ``()``;
    the only error is ``PayloadError``.
    """
    handler = BY_NAME.get(event)
    intents = handler.intents(payload, config) if handler else ()
    if config.enabled:
        return intents
    return tuple(intent for intent in intents if isinstance(intent, WHEN_DISABLED))
