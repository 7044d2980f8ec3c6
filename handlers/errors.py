"""What can go wrong while an event is read."""

from __future__ import annotations


class HandlersError(Exception):
    """Base of every error of this package; reading the same payload again can never help."""

    retryable = False


class PayloadError(HandlersError):
    """A payload does not have the shape GitHub documents; ``problems`` name places, never values."""

    def __init__(self, event: str, problems: tuple[str, ...]) -> None:
        super().__init__(f"the {event} payload cannot be read: {'; '.join(problems)}")
        self.event = event
        self.problems = problems
