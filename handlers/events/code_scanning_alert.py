"""``code_scanning_alert``: a finding of a scanner; a run only where the configuration asks for it.

Findings on other branches (pull requests, those of Suture among them) never start a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.reports.facts import severity
from handlers import subjects
from handlers.branches import is_watched
from handlers.events.event import Event
from handlers.intents import Permission, StartRun
from handlers.payloads import Envelope, Id, Shape, Text

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Rule(Shape):
    """The rule that was broken; tools that know no security level leave it out."""

    security_severity_level: Text = ""


class Alert(Shape):
    """The alert; where it lies is fetched when the run begins, old payloads do not say."""

    number: Id
    rule: Rule


class Payload(Envelope):
    """What is read of the event; ``ref`` is empty when a person reopened the alert."""

    alert: Alert
    ref: Text = ""


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    repository = payload.where()
    if payload.ref and not is_watched(payload.ref, repository, config):
        return ()
    if not config.code_scanning.admits(severity(payload.alert.rule.security_severity_level)):
        return ()
    return (
        StartRun(
            repository=repository,
            actor=payload.who(),
            requires=Permission.SYSTEM,
            subject=subjects.code_scanning_alert(payload.alert.number),
        ),
    )


EVENT = Event(
    name="code_scanning_alert",
    shape=Payload,
    actions=frozenset({"created", "reopened", "reopened_by_user", "appeared_in_branch"}),
    interpret=_interpret,
)
