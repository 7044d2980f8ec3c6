"""``installation``: Suture was installed, removed, suspended, or given new permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.events.event import Event
from handlers.intents import InstallationChange
from handlers.payloads import InstallationShape, RepositoryShape, Shape

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Payload(Shape):
    """What is read of the event."""

    action: str
    installation: InstallationShape
    repositories: list[RepositoryShape] | None = None


def _interpret(payload: Payload, _config: TriggerConfig) -> tuple[AnyIntent, ...]:
    number = payload.installation.id
    named = tuple(one.repository(number) for one in payload.repositories or ())
    return (
        InstallationChange(
            installation_id=number,
            account=payload.installation.name(),
            what=payload.action,
            added=named if payload.action == "created" else (),
            removed=named if payload.action == "deleted" else (),
        ),
    )


EVENT = Event(
    name="installation",
    shape=Payload,
    actions=frozenset({"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"}),
    interpret=_interpret,
)
