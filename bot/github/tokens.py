"""Who asks: the App itself by a signed statement, or one of its installations by a short, narrow token."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from github.Auth import AppAuth

from bot.errors import GitHubError, RepositoryGoneError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.github.grants import Grant
    from bot.github.wire import Wire

MARGIN_SECONDS = 300.0


class AppStatement:
    """The App's own credential: a JWT that lives five minutes, signed anew for each request."""

    def __init__(self, app_id: int, private_key: str) -> None:
        self._auth = AppAuth(app_id, private_key)

    def bearer(self) -> str:
        """Return a signed statement."""
        return self._auth.create_jwt()

    def refused(self, bearer: str) -> None:
        """Nothing is kept, so there is nothing to forget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationToken:
    """A token and when it ends, in seconds since the epoch."""

    value: str = field(repr=False)
    expires_at: float


class InstallationTokens:
    """Tokens narrowed to one repository and one grant, kept until shortly before their end."""

    def __init__(self, app: Wire, clock: Callable[[], float] = time.time) -> None:
        self._app = app
        self._clock = clock
        self._tokens: dict[tuple[int, int, str], InstallationToken] = {}
        self._lock = threading.Lock()

    def take(self, installation: int, repository: int, grant: Grant) -> str:
        """Return a token; raise ``RepositoryGoneError`` when the App has no access (any more)."""
        key = (installation, repository, grant.name)
        with self._lock:
            kept = self._tokens.get(key)
        if kept is not None and kept.expires_at - MARGIN_SECONDS > self._clock():
            return kept.value
        fresh = self._mint(installation, repository, grant)
        with self._lock:
            self._tokens[key] = fresh
        return fresh.value

    def forget(self, value: str) -> None:
        """Drop a token that was refused."""
        with self._lock:
            self._tokens = {key: token for key, token in self._tokens.items() if token.value != value}

    def _mint(self, installation: int, repository: int, grant: Grant) -> InstallationToken:
        body = {"repository_ids": [repository], "permissions": dict(grant.permissions)}
        try:
            answer = self._app.post(f"/app/installations/{installation}/access_tokens", body)
        except GitHubError as error:
            raise _no_access(error) from error
        ends = datetime.fromisoformat(answer["expires_at"])
        return InstallationToken(value=answer["token"], expires_at=ends.timestamp())


def _no_access(error: GitHubError) -> GitHubError:
    """Return what a refused token means: without installation or membership the repository is gone for us."""
    outside = error.status == HTTPStatus.UNPROCESSABLE_ENTITY and "repositor" in str(error).lower()
    if error.status == HTTPStatus.NOT_FOUND or outside:
        return RepositoryGoneError(
            "the App is not installed on the repository", status=error.status, retryable=False
        )
    return error


@dataclass(frozen=True, slots=True)
class InstallationCredential:
    """One viewer's credential, for a ``Wire``."""

    tokens: InstallationTokens
    installation: int
    repository: int
    grant: Grant

    def bearer(self) -> str:
        """Return a valid token."""
        return self.tokens.take(self.installation, self.repository, self.grant)

    def refused(self, bearer: str) -> None:
        """Mint another one next time."""
        self.tokens.forget(bearer)
