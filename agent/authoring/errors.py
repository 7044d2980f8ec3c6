"""What goes wrong while a patch is written; the message is shown to the model, so it says what to do."""

from __future__ import annotations

from agent.errors import AgentError


class AuthoringError(AgentError):
    """Base of the errors of this package."""


class EditError(AuthoringError):
    """An edit cannot be applied; ``shown`` are the true lines that the model should look at."""

    def __init__(self, reason: str, *, shown: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.shown = shown
