"""``installation_repositories``: an installation gained or lost repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

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
    repositories_added: list[RepositoryShape] = Field(default=[])
    repositories_removed: list[RepositoryShape] = Field(default=[])


def _interpret(payload: Payload, _config: TriggerConfig) -> tuple[AnyIntent, ...]:
    number = payload.installation.id
    return (
        InstallationChange(
            installation_id=number,
            account=payload.installation.name(),
            what=payload.action,
            added=tuple(one.repository(number) for one in payload.repositories_added),
            removed=tuple(one.repository(number) for one in payload.repositories_removed),
        ),
    )


EVENT = Event(
    name="installation_repositories",
    shape=Payload,
    actions=frozenset({"added", "removed"}),
    interpret=_interpret,
)
