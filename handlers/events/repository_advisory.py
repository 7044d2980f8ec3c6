"""``repository_advisory``: a flaw reported in private, or an advisory that was published."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import ConfigDict

from agent.domain.report import Visibility
from agent.errors import ReportError
from agent.reports import report_from_github_advisory
from agent.reports.forms import GitHubAdvisory
from handlers import subjects
from handlers.errors import PayloadError
from handlers.events.event import Event
from handlers.intents import Permission, StartRun
from handlers.payloads import GHSA, Envelope

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Advisory(GitHubAdvisory):
    """The advisory; an unknown state counts as private."""

    model_config = ConfigDict(hide_input_in_errors=True)

    ghsa_id: GHSA
    state: str


class Payload(Envelope):
    """What is read of the event."""

    repository_advisory: Advisory


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    advisory = payload.repository_advisory
    if payload.action not in config.advisories:
        return ()
    try:
        report = report_from_github_advisory(advisory)
    except ReportError as error:
        raise PayloadError("repository_advisory", (str(error),)) from None
    public = payload.action == "published" and advisory.state == "published"
    visibility = Visibility.PUBLIC if public else Visibility.PRIVATE
    return (
        StartRun(
            repository=payload.where(),
            actor=payload.who(),
            requires=Permission.SYSTEM,
            subject=subjects.advisory(advisory.ghsa_id),
            report=replace(report, visibility=visibility),
        ),
    )


EVENT = Event(
    name="repository_advisory",
    shape=Payload,
    actions=frozenset({"reported", "published"}),
    interpret=_interpret,
)
