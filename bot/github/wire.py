"""PyGithub's way to the network, with our manners: narrow tokens, paced writes, ETags, one kind of error.

PyGithub's own transport follows redirects without their query, sleeps for minutes inside a call and writes
whole bodies to its debug log; so only its objects are used, and every request passes through here.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from github.Requester import Requester

from bot.errors import GitHubError
from bot.github.etags import Place
from bot.github.faults import fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.github.etags import ETags
    from bot.github.pacing import Pace
    from bot.github.transport import Answer, Transport

USER_AGENT = f"suture/{version('suture')}"
API_VERSION = "2022-11-28"
ACCEPT = "application/vnd.github+json"
PAGE = 100


class Credential(Protocol):
    """Where the bearer of a request comes from."""

    def bearer(self) -> str:
        """Return a token that is valid now."""
        ...

    def refused(self, bearer: str) -> None:
        """Hear that GitHub no longer takes the token."""
        ...


class Wire(Requester):
    """A ``Requester`` for one viewer (installation, repository, grant). Safe to use from many threads."""

    def __init__(
        self,
        *,
        api_url: str,
        transport: Transport,
        credential: Credential,
        pace: Pace,
        etags: ETags,
        viewer: tuple[int, int, str],
    ) -> None:
        super().__init__(
            auth=None,
            base_url=api_url.rstrip("/"),
            timeout=1,
            user_agent=USER_AGENT,
            per_page=PAGE,
            verify=True,
            retry=None,
            pool_size=None,
            lazy=True,
        )
        self._transport = transport
        self._credential = credential
        self._pace = pace
        self._etags = etags
        self._viewer = viewer

    def withLazy(self, lazy: object) -> Wire:  # noqa: ARG002, N802 - PyGithub's name; every object stays on this wire
        """Return itself: objects are completed only when asked."""
        return self

    def get(self, path: str, **parameters: str) -> Any:
        """Return the JSON behind a path or same-host address."""
        return self.requestJsonAndCheck("GET", path, parameters=parameters)[1]

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        """Send JSON and return the answer."""
        return self.requestJsonAndCheck("POST", path, input=dict(body))[1]

    def requestJsonAndCheck(  # noqa: N802 - PyGithub's name
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,  # noqa: A002 - PyGithub's name
        follow_302_redirect: bool = False,  # noqa: ARG002, FBT001, FBT002 - PyGithub's signature
    ) -> tuple[dict[str, Any], Any]:
        """Return headers and JSON of a successful answer."""
        _, answered, text = self.requestJson(verb, url, parameters, headers, input)
        try:
            found = json.loads(text) if text else None
        except ValueError as error:
            raise GitHubError("GitHub's answer is no JSON", status=None, retryable=True) from error
        if verb == "GET" and isinstance(found, dict):
            found.setdefault("url", self._address(url))  # PyGithub's objects know their address by it
        return answered, found

    def requestJson(  # noqa: N802 - PyGithub's name; connections are ours
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        input: Any | None = None,  # noqa: A002 - PyGithub's name
        cnx: object = None,  # noqa: ARG002
        follow_302_redirect: bool = False,  # noqa: ARG002, FBT001, FBT002 - PyGithub's signature
    ) -> tuple[int, dict[str, Any], str]:
        """Send one request; every answer that is no success is raised as a ``GitHubError``."""
        address = self.add_parameters_to_url(self._address(url), parameters or {})
        body = None if input is None else json.dumps(input).encode()
        answer = self._exchange(verb, address, (headers or {}).get("Accept") or ACCEPT, body)
        return answer.status, dict(answer.headers), answer.text

    def _address(self, url: str) -> str:
        """Return the absolute address; a token never leaves for another host."""
        if url.startswith("/"):
            return self.base_url + url
        there, here = urlsplit(url), urlsplit(self.base_url)
        if (there.scheme, there.netloc) != (here.scheme, here.netloc):
            raise GitHubError("GitHub names an address on another host", status=None, retryable=False)
        return url

    def _exchange(self, verb: str, address: str, accept: str, body: bytes | None) -> Answer:
        place = Place(self._viewer, address, accept)
        known = self._etags.known(place) if verb == "GET" else None
        answer = self._send(verb, address, self._headers(accept, body, known), body)
        if answer.status == HTTPStatus.NOT_MODIFIED and known is not None:
            return replace(known, headers={**known.headers, **answer.headers})
        if verb == "GET":
            self._etags.keep(place, answer)
        return answer

    def _send(self, verb: str, address: str, headers: dict[str, str], body: bytes | None) -> Answer:
        self._pace.begin(verb)
        try:
            # Asked for only now: the turn may have taken longer than an old token lives.
            bearer = self._credential.bearer()
            answer = self._transport.send(
                verb, address, headers | {"Authorization": f"Bearer {bearer}"}, body
            )
        finally:
            self._pace.end(verb)
        self._pace.note(answer.headers)
        if answer.status < HTTPStatus.MULTIPLE_CHOICES or answer.status == HTTPStatus.NOT_MODIFIED:
            return answer
        if answer.status == HTTPStatus.UNAUTHORIZED:
            self._credential.refused(bearer)
        error = fault(answer.status, answer.headers, answer.text, now=time.time())
        if error.retry_after is not None:
            self._pace.silence(error.retry_after)
        raise error

    def _headers(self, accept: str, body: bytes | None, known: Answer | None) -> dict[str, str]:
        headers = {"Accept": accept, "User-Agent": USER_AGENT, "X-GitHub-Api-Version": API_VERSION}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if known is not None:
            headers["If-None-Match"] = known.headers["etag"]
        return headers
