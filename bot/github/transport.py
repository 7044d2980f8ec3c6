"""HTTP to GitHub: one request, one answer, bounded in time and size. Bodies and tokens are never logged."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import requests

from bot.errors import GitHubError

if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECT_SECONDS = 10.0
LARGEST_ANSWER = 64 * 2**20
CHUNK = 2**16


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str


class Transport:
    """Connections to one GitHub, one session a thread; redirects are answers, not followed."""

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds
        self._local = threading.local()

    def send(self, verb: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        """Send one request; raise a retryable ``GitHubError`` when no whole answer came in time."""
        try:
            with self._session().request(
                verb,
                url,
                headers=dict(headers),
                data=body,
                timeout=(CONNECT_SECONDS, self._seconds),
                allow_redirects=False,
                stream=True,
            ) as response:
                text = self._read(response)
                return Answer(
                    status=response.status_code,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    text=text,
                )
        except requests.Timeout as error:
            raise GitHubError("GitHub did not answer in time", status=None, retryable=True) from error
        except requests.RequestException as error:
            # The text of these errors holds the address, which may hold names of private branches.
            raise GitHubError(
                f"no connection to GitHub ({type(error).__name__})", status=None, retryable=True
            ) from None

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            session.trust_env = True  # proxies and certificate bundles of the operator
            session.auth = _NoNetrc()
        return session

    def _read(self, response: requests.Response) -> str:
        deadline = time.monotonic() + self._seconds
        parts: list[bytes] = []
        size = 0
        for part in response.iter_content(CHUNK):
            parts.append(part)
            size += len(part)
            if size > LARGEST_ANSWER:
                raise GitHubError("GitHub's answer is too large", status=None, retryable=False)
            if time.monotonic() > deadline:
                raise GitHubError("GitHub did not finish its answer in time", status=None, retryable=True)
        return b"".join(parts).decode(response.encoding or "utf-8", errors="replace")


class _NoNetrc(requests.auth.AuthBase):
    """Keeps ``requests`` from replacing our token by what a ``.netrc`` says of the host."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request
