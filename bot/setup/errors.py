"""What can go wrong while the App is registered."""

from __future__ import annotations

from bot.errors import BotError


class SetupError(BotError):
    """The registration cannot go on; the message is one line that says what to do."""


class ConversionError(SetupError):
    """GitHub did not hand over the new App; with ``retryable`` the same page may be loaded again."""

    def __init__(self, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.retryable = retryable


class StorageError(SetupError):
    """The credentials cannot be written where they belong."""
