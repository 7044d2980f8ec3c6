"""The REST calls that the emulator lacks or answers unlike GitHub, kept in our own small state.

Bodies are GitHub's own examples with the test's facts put in, so their shape is not ours.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.testbed.request import Reply, refusal
from tests.testbed.state import now

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.testbed.openapi import Judge
    from tests.testbed.refusals import Upstream
    from tests.testbed.request import Request
    from tests.testbed.state import State

    Handler = Callable[["Extras", Request, re.Match[str]], Awaitable[Reply]]

REPO = r"^/repos/(?P<repo>[^/]+/[^/]+)"
NEEDS = {
    "advisories": ("repository_advisories",),
    "dependabot": ("vulnerability_alerts",),
    "code_scanning": ("security_events",),
    "reactions": ("issues", "pull_requests"),
}
APP = "the App"
"""Who reacts: GitHub counts a reaction once a user, and an App is one user whatever token it shows."""


class Extras:
    """Answers what it knows; ``None`` sends the request on to the emulator."""

    def __init__(self, state: State, judge: Judge, upstream: Upstream) -> None:
        self.state = state
        self.judge = judge
        self.upstream = upstream

    async def answer(self, request: Request) -> Reply | None:
        """Return the answer to a request of ours."""
        for method, pattern, handler in ROUTES:
            if method == request.method and (match := re.match(pattern, request.path)):
                return await handler(self, request, match)
        return None

    def lacks(self, request: Request, need: str, level: str) -> Reply | None:
        """Return a refusal when the token does not hold what the call needs."""
        token = self.state.tokens.get(request.token)
        if token is None:
            return refusal(401, "Bad credentials")
        if not any(token.may(permission, level) for permission in NEEDS[need]):
            return refusal(403, "Resource not accessible by integration")
        return None

    async def react(self, request: Request, match: re.Match[str]) -> Reply:
        """Put a reaction; the same one again, with whatever token of the App, is answered with the first (200)."""
        if refused := self.lacks(request, "reactions", "write"):
            return refused
        subject = request.path.removesuffix("/reactions")
        status, _ = await self.upstream.get(subject)
        if status != 200:
            return refusal(404, "Not Found")
        key = (subject, APP, request.json["content"])
        with self.state.lock:
            if key in self.state.reactions:
                return Reply(status=200, body=self.state.reactions[key])
            made = {**self.judge.example("reaction"), "id": self.state.next_id(), "content": key[2]}
            self.state.reactions[key] = made
        return Reply(status=201, body=made)

    async def advisory(self, request: Request, match: re.Match[str]) -> Reply:
        """Return a repository advisory."""
        found = self.state.advisories.get((match["repo"], match["ghsa"]))
        return self.lacks(request, "advisories", "read") or _or_404(found)

    async def dependabot(self, request: Request, match: re.Match[str]) -> Reply:
        """Return a Dependabot alert."""
        found = self.state.dependabot.get((match["repo"], int(match["number"])))
        return self.lacks(request, "dependabot", "read") or _or_404(found)

    async def code_scanning(self, request: Request, match: re.Match[str]) -> Reply:
        """Return a code scanning alert."""
        found = self.state.code_scanning.get((match["repo"], int(match["number"])))
        return self.lacks(request, "code_scanning", "read") or _or_404(found)

    async def permission(self, request: Request, match: re.Match[str]) -> Reply:
        """Tell ``write`` for ``push``, and ``read`` for a stranger in a public repository, as GitHub does."""
        status, found = await self.upstream.get(request.path)
        if status == 404:
            known, user = await self.upstream.get(f"/users/{match['login']}")
            if known != 200:
                return refusal(404, f"{match['login']} is not a user")
            _, repository = await self.upstream.get(f"/repos/{match['repo']}")
            level = "none" if repository["private"] else "read"
            return Reply(body={"permission": level, "role_name": level, "user": user})
        if status != 200:
            return Reply(status=status, body=found)
        legacy = {"maintain": "write", "push": "write", "triage": "read", "pull": "read"}
        return Reply(body={**found, "permission": legacy.get(found["permission"], found["permission"])})

    async def pull_files(self, request: Request, match: re.Match[str]) -> Reply:
        """Return the files of a pull request; the emulator makes them up."""
        status, pull = await self.upstream.get(f"/repos/{match['repo']}/pulls/{match['number']}")
        if status != 200:
            return Reply(status=status, body=pull)
        base, head = pull["base"]["sha"], pull["head"]["sha"]
        _, compared = await self.upstream.get(f"/repos/{match['repo']}/compare/{base}...{head}")
        return Reply(body=compared["files"])

    async def pulls(self, request: Request, match: re.Match[str]) -> Reply:
        """Return pull requests with the head their branch has now; the emulator keeps the first one."""
        query = "?" + urlencode(request.query) if request.query else ""
        status, found = await self.upstream.get(request.path + query)
        if status == 200:
            for pull in found if isinstance(found, list) else [found]:
                await self.with_head(match["repo"], pull)
        return Reply(status=status, body=found)

    async def with_head(self, repository: str, pull: dict[str, Any]) -> None:
        """Put the present head of its branch into an open pull request."""
        where = f"/repos/{repository}/git/ref/heads/{pull['head']['ref']}"
        status, ref = await self.upstream.get(where)
        if status == 200 and pull["state"] == "open":
            pull["head"]["sha"] = ref["object"]["sha"]

    async def conversion(self, request: Request, match: re.Match[str]) -> Reply:
        """Turn the code of the manifest flow into an App; a code works once."""
        made = self.state.manifests.pop(match["code"], None)
        return refusal(404, "Not Found") if made is None else Reply(status=201, body=made)

    def add_advisory(self, repository: str, **facts: Any) -> dict[str, Any]:
        """Keep an advisory with these facts."""
        made = {**self.judge.example("repository-advisory"), **facts}
        self.state.advisories[repository, made["ghsa_id"]] = made
        return made

    def add_dependabot(self, repository: str, number: int, **facts: Any) -> dict[str, Any]:
        """Keep a Dependabot alert with these facts."""
        made = {**self.judge.example("dependabot-alert-open"), "number": number, "created_at": now(), **facts}
        self.state.dependabot[repository, number] = made
        return made

    def add_code_scanning(self, repository: str, number: int, **facts: Any) -> dict[str, Any]:
        """Keep a code scanning alert with these facts."""
        example = self.judge.example("code-scanning-alert")
        open_ = {"state": "open", "dismissed_at": None, "dismissed_by": None, "dismissed_reason": None}
        made = {**example, **open_, "number": number, "created_at": now(), **facts}
        self.state.code_scanning[repository, number] = made
        return made


def _or_404(found: dict[str, Any] | None) -> Reply:
    return refusal(404, "Not Found") if found is None else Reply(body=found)


ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("POST", REPO + r"/(issues|issues/comments|pulls/comments)/\d+/reactions$", Extras.react),
    ("GET", REPO + r"/security-advisories/(?P<ghsa>[^/]+)$", Extras.advisory),
    ("GET", REPO + r"/dependabot/alerts/(?P<number>\d+)$", Extras.dependabot),
    ("GET", REPO + r"/code-scanning/alerts/(?P<number>\d+)$", Extras.code_scanning),
    ("GET", REPO + r"/collaborators/(?P<login>[^/]+)/permission$", Extras.permission),
    ("GET", REPO + r"/pulls/(?P<number>\d+)/files$", Extras.pull_files),
    ("GET", REPO + r"/pulls(/\d+)?$", Extras.pulls),
    ("POST", r"^/app-manifests/(?P<code>[^/]+)/conversions$", Extras.conversion),
)
