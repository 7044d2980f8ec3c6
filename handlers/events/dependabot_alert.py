"""``dependabot_alert``: a vulnerable dependency; a run only where the configuration asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.reports.facts import severity
from handlers import subjects
from handlers.events.event import Event
from handlers.intents import Permission, StartRun
from handlers.payloads import Envelope, Id, Shape

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Vulnerability(Shape):
    """How bad it is."""

    severity: str


class Alert(Shape):
    """The alert; its text is fetched when the run begins."""

    number: Id
    state: str
    security_vulnerability: Vulnerability


class Payload(Envelope):
    """What is read of the event."""

    alert: Alert


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    alert = payload.alert
    if alert.state != "open" or not config.dependabot.admits(severity(alert.security_vulnerability.severity)):
        return ()
    return (
        StartRun(
            repository=payload.where(),
            actor=payload.who(),
            requires=Permission.SYSTEM,
            subject=subjects.dependabot_alert(alert.number),
        ),
    )


EVENT = Event(
    name="dependabot_alert",
    shape=Payload,
    actions=frozenset({"created", "reopened", "auto_reopened", "reintroduced"}),
    interpret=_interpret,
)
