"""GitHub's refusals that the emulator does not know; each returns None when it has nothing to say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from tests.testbed.request import Reply, refusal

if TYPE_CHECKING:
    from tests.testbed.request import Request
    from tests.testbed.state import State

REPOSITORY = re.compile(r"^/repos/([^/]+)/([^/]+)(/.*)?$")
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Upstream(Protocol):
    """The emulator."""

    async def get(self, path: str) -> tuple[int, Any]:
        """Return status and JSON of a path, asked as the owner."""
        ...


async def refused(request: Request, state: State, upstream: Upstream) -> Reply | None:
    """Return GitHub's refusal of a request."""
    if state.suspended and request.path.startswith("/app/installations/"):
        return refusal(403, "This installation has been suspended")
    match = REPOSITORY.match(request.path)
    if match is None:
        return None
    repository, rest = f"{match[1]}/{match[2]}", match[3] or ""
    if (moved := state.renamed.get(repository)) is not None:
        return _moved(request, moved, rest)
    if request.method not in WRITES:
        return None
    return await _written(request, state, upstream, repository, rest)


async def _written(
    request: Request, state: State, upstream: Upstream, repository: str, rest: str
) -> Reply | None:
    status, found = await upstream.get(f"/repos/{repository}")
    if status == 200 and found.get("archived"):
        return refusal(403, "Repository was archived so is read-only.")
    if (request.method, rest) == ("POST", "/pulls"):
        return await _pull(request, state, upstream, repository)
    if (request.method, rest) == ("POST", "/git/refs"):
        return await _branch(request, upstream, repository)
    return None


def _moved(request: Request, to: str, rest: str) -> Reply:
    """https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects."""
    status = 301 if request.method == "GET" else 307
    query = "&".join(f"{key}={value}" for key, value in request.query.items())
    location = f"/repositories/{to}{rest}{'?' + query if query else ''}"
    return Reply(status=status, body={"message": "Moved"}, headers={"Location": location})


async def _pull(request: Request, state: State, upstream: Upstream, repository: str) -> Reply | None:
    wanted = request.json
    owner, head, base = repository.split("/", maxsplit=1)[0], wanted["head"].split(":")[-1], wanted["base"]
    status, _ = await upstream.get(f"/repos/{repository}/git/ref/heads/{head}")
    if status != 200:
        return refusal(422, "Validation Failed", "head is invalid")
    _, pulls = await upstream.get(f"/repos/{repository}/pulls?state=open&head={owner}:{head}&base={base}")
    if pulls:
        return refusal(422, "Validation Failed", f"A pull request already exists for {owner}:{head}.")
    _, compared = await upstream.get(f"/repos/{repository}/compare/{base}...{head}")
    if not compared["ahead_by"]:
        return refusal(422, "Validation Failed", f"No commits between {base} and {head}")
    if wanted.get("draft") and not state.drafts_allowed:
        return refusal(422, "Draft pull requests are not supported in this repository.")
    return None


async def _branch(request: Request, upstream: Upstream, repository: str) -> Reply | None:
    """Refuse a branch below one that exists, as git does (``suture`` and ``suture/x`` cannot both be)."""
    name = request.json["ref"].removeprefix("refs/heads/")
    for depth in range(1, len(name.split("/"))):
        parent = "/".join(name.split("/")[:depth])
        status, _ = await upstream.get(f"/repos/{repository}/git/ref/heads/{parent}")
        if status == 200:
            return refusal(422, "Reference cannot be created")
    return None
