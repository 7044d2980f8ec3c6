"""What can go wrong in the shell around the agent."""

from __future__ import annotations


class BotError(Exception):
    """Base of every error of this package; ``retryable`` says whether trying again can help."""

    retryable = False


class SettingsError(BotError):
    """The operator's configuration cannot be used; the message names the key and what to do."""


class GitHubError(BotError):
    """GitHub answered with an error. No token or payload is ever part of the message."""

    def __init__(
        self, message: str, *, status: int | None, retryable: bool, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after


class RepositoryGoneError(GitHubError):
    """The repository was deleted, or the App has no access any more."""


class ArtifactError(BotError):
    """A stored file is missing or damaged."""


class StoreError(BotError):
    """The database cannot be used; ``retryable`` when it may come back."""

    retryable = True


class SlotLostError(BotError):
    """Another process took over this one's slot; it must stop before it does anything more."""


class RunStoppedError(BotError):
    """A run cannot go on, for a reason of ours; it ends with an error."""


class RunDeclinedError(BotError):
    """A run is not for us to carry out any more: archived, empty or switched off."""
