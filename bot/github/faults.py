"""From an answer of GitHub to what it means: which error, and whether trying again can help. Pure.

Sources: https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api and
https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from bot.errors import GitHubError, RepositoryGoneError
from bot.github.errors import (
    InstallationSuspendedError,
    PermissionMissingError,
    RepositoryMovedError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDARY_PAUSE = 60.0
LONGEST_PAUSE = 3600.0
MOVED = frozenset({301, 302, 307, 308})
GONE = frozenset({HTTPStatus.GONE, HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS})
RENEWABLE = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.REQUEST_TIMEOUT})
LIMITING = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS})
SECRET = re.compile(r"(gh[opsur]_|github_pat_)[A-Za-z0-9_.\-]+|eyJ[\w\-]+\.[\w\-]+\.[\w\-]+")
SAID_LENGTH = 160


def fault(status: int, headers: Mapping[str, str], text: str, *, now: float) -> GitHubError:
    """Return the error for an answer that is not a success; header names are in lower case.

    ``now`` is in seconds since the epoch; the message never holds more of the answer than GitHub's own
    short sentence, with anything that looks like a token taken out.
    """
    said = _said(text)
    if status in MOVED:
        return RepositoryMovedError(headers.get("location", ""), status)
    pause = _pause(status, headers, said, now)
    if pause is not None:
        return GitHubError(
            f"GitHub limits the rate ({status})", status=status, retryable=True, retry_after=pause
        )
    if status in GONE:
        return RepositoryGoneError(f"GitHub answered {status}: {said}", status=status, retryable=False)
    if (
        status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY}
        and "permission" in said.lower()
        and "granted" in said.lower()
    ):
        return PermissionMissingError(_ask_owner(said), status=status, retryable=False)
    if status == HTTPStatus.FORBIDDEN:
        return _forbidden(said)
    return GitHubError(f"GitHub answered {status}: {said}", status=status, retryable=_transient(status, said))


def _forbidden(said: str) -> GitHubError:
    if "suspended" in said.lower():
        return InstallationSuspendedError(
            "the installation is suspended; its owner can resume it", status=403, retryable=False
        )
    if "not accessible by integration" in said.lower():
        return PermissionMissingError(_ask_owner(said), status=403, retryable=False)
    return GitHubError(f"GitHub answered 403: {said}", status=403, retryable=False)


def _ask_owner(said: str) -> str:
    return f"the installation lacks a permission ({said}); its owner must accept the App's permissions"


def _transient(status: int, said: str) -> bool:
    """Whether the same request may succeed later: tokens are renewed, conflicts pass, servers recover."""
    if status == HTTPStatus.CONFLICT:
        return "empty" not in said.lower()
    return status in RENEWABLE or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _pause(status: int, headers: Mapping[str, str], said: str, now: float) -> float | None:
    """Return how long GitHub wants silence, None when it did not say so."""
    if status not in LIMITING:
        return None
    if headers.get("retry-after", "").isdigit():
        return min(float(headers["retry-after"]), LONGEST_PAUSE)
    if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset", "").isdigit():
        return min(max(float(headers["x-ratelimit-reset"]) - now, 1.0), LONGEST_PAUSE)
    if status == HTTPStatus.TOO_MANY_REQUESTS or "rate limit" in said.lower() or "abuse" in said.lower():
        return SECONDARY_PAUSE
    return None


def _said(text: str) -> str:
    """Return GitHub's own sentence from a JSON answer: one line, short, without secrets."""
    try:
        body = json.loads(text)
    except ValueError:
        return "no explanation"
    message = body.get("message") if isinstance(body, dict) else None
    details = body.get("errors") if isinstance(body, dict) else None
    words = [message] if isinstance(message, str) else []
    for detail in details if isinstance(details, list) else []:
        word = detail.get("message") if isinstance(detail, dict) else detail
        words += [word] if isinstance(word, str) else []
    line = " ".join("; ".join(words).split()) or "no explanation"
    return SECRET.sub("***", line)[:SAID_LENGTH]
