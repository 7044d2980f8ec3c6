"""The one address of the testbed: judges each request, lets faults happen, and passes it to who answers."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from tests.testbed.faults import Fault, FaultPlan, Moment
from tests.testbed.githttp import GitHTTP
from tests.testbed.graphql import answer_graphql
from tests.testbed.refusals import refused
from tests.testbed.request import Reply, Request
from tests.testbed.state import Exchange, Token
from tests.testbed.world import token

if TYPE_CHECKING:
    from tests.testbed.extras import Extras
    from tests.testbed.gitstore import GitStore
    from tests.testbed.hooks import Hooks
    from tests.testbed.openapi import Judge, Violation
    from tests.testbed.state import State

DROPPED = frozenset({"transfer-encoding", "content-length", "content-encoding", "connection", "keep-alive"})
ENTERPRISE = "/api/v3"


class Emulate:
    """The emulator as the front asks it."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def get(self, path: str) -> tuple[int, Any]:
        """Return status and JSON of a path, asked as the owner."""
        headers = {"Authorization": f"Bearer {token('owner')}"}
        reply = await self.ask("GET", path, headers, b"")
        return reply.status, reply.body

    async def ask(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        """Pass a request on."""
        async with (
            aiohttp.ClientSession() as session,
            session.request(
                method, self._url + path, headers=headers, data=body or None, allow_redirects=False
            ) as got,
        ):
            content = await got.read()
            kept = {name: value for name, value in got.headers.items() if name.lower() not in DROPPED}
            return Reply(status=got.status, body=json.loads(content) if content else None, headers=kept)


class Front:
    """The web application."""

    def __init__(
        self,
        *,
        state: State,
        judge: Judge,
        faults: FaultPlan,
        emulate: Emulate,
        extras: Extras,
        hooks: Hooks,
        git: GitStore,
    ) -> None:
        self.violations: list[Violation] = []
        self._state, self._judge, self._faults = state, judge, faults
        self._emulate, self._extras, self._hooks, self._git = emulate, extras, hooks, git

    def application(self) -> web.Application:
        """Return the application to serve."""
        application = web.Application(client_max_size=100 * 2**20)
        git = GitHTTP(self._git, self._state)
        application.router.add_post("/_hooks", self._take_hook)
        application.router.add_route("*", r"/{owner}/{name:[^/]+}.git/{tail:.+}", git.serve)
        application.router.add_route("*", "/{path:.*}", self._serve)
        return application

    async def _take_hook(self, request: web.Request) -> web.Response:
        self._hooks.accept(request.headers["X-GitHub-Event"], await request.json())
        return web.Response(status=202)

    async def _serve(self, incoming: web.Request) -> web.StreamResponse:
        request = await _read(incoming)
        fault = self._faults.due(request.method, request.path)
        if fault is not None and fault.moment is Moment.BEFORE:
            self._record(request, fault.status)
            return await _fail(incoming, fault)
        reply = await self._answer(request)
        self._record(request, reply.status)
        if fault is not None:
            return await _fail(incoming, fault)
        return _response(incoming, request, reply)

    async def _answer(self, request: Request) -> Reply:
        if request.path in {"/graphql", "/api/graphql"}:
            return await answer_graphql(request, self._emulate, self.violations)
        problem = self._judge.violation(
            request.method, request.path, request.query, request.body, request.headers.get("content-type", "")
        )
        if problem is not None and not request.path.startswith("/repositories/"):
            self.violations.append(problem)
        if refusal := await refused(request, self._state, self._emulate):
            return refusal
        for part in (self._extras, self._hooks):
            if (reply := await part.answer(request)) is not None:
                return reply
        return await self._pass_on(request)

    async def _pass_on(self, request: Request) -> Reply:
        path = await self._by_name(request.path)
        if request.query:
            path += "?" + urlencode(request.query)
        headers = {
            name: value
            for name, value in request.headers.items()
            if name in {"authorization", "accept", "content-type", "user-agent"}
        }
        reply = await self._emulate.ask(request.method, path, headers, request.body)
        if request.path.endswith("/access_tokens") and reply.status == 201:
            self._keep_token(reply.body)
        return reply

    async def _by_name(self, path: str) -> str:
        """Return the path of what a redirect led to by the repository's number."""
        parts = path.split("/")
        if len(parts) < 4 or parts[1] != "repositories":
            return path
        _, repository = await self._emulate.get(f"/repositories/{parts[2]}")
        return f"/repos/{repository['full_name']}/{'/'.join(parts[3:])}"

    def _keep_token(self, made: dict[str, Any]) -> None:
        repositories = frozenset(repository["id"] for repository in made.get("repositories", []))
        with self._state.lock:
            self._state.tokens[made["token"]] = Token(
                permissions=made["permissions"], repositories=repositories
            )

    def _record(self, request: Request, status: int) -> None:
        exchange = Exchange(
            method=request.method,
            path=request.path,
            query=json.dumps(request.query),
            body=request.body,
            viewer=request.token,
            status=status,
        )
        with self._state.lock:
            self._state.exchanges.append(exchange)


async def _read(incoming: web.Request) -> Request:
    return Request(
        method=incoming.method,
        path=incoming.rel_url.raw_path.removeprefix(ENTERPRISE),
        query=dict(incoming.query),
        body=await incoming.read(),
        token=incoming.headers.get("Authorization", "").rpartition(" ")[2],
        headers={name.lower(): value for name, value in incoming.headers.items()},
    )


async def _fail(incoming: web.Request, fault: Fault) -> web.StreamResponse:
    await asyncio.sleep(fault.seconds)
    if fault.status == 0:
        if incoming.transport is not None:
            incoming.transport.abort()
        return web.Response(status=500)
    body = {"message": fault.message, "documentation_url": "https://docs.github.com/rest"}
    return web.json_response(body, status=fault.status, headers=fault.headers)


def _response(incoming: web.Request, request: Request, reply: Reply) -> web.StreamResponse:
    headers = {name: value for name, value in reply.headers.items() if name.lower() != "content-type"}
    if reply.body is None:
        return web.Response(status=reply.status, headers=headers)
    content = json.dumps(reply.body).encode()
    if request.method == "GET" and reply.status == 200:
        headers["ETag"] = f'W/"{hashlib.sha256(content).hexdigest()}"'
        if incoming.headers.get("If-None-Match") == headers["ETag"]:
            return web.Response(status=304, headers=headers)
    for name in ("Location", "Link"):  # absolute, and with the address that was asked
        if name in headers:
            headers[name] = re.sub(
                r"(?<=<)(?:http://[^/>]+)?(?=/)|^(?:http://[^/]+)?(?=/)",
                f"{incoming.scheme}://{incoming.host}",
                headers[name],
            )
    return web.Response(status=reply.status, headers=headers, body=content, content_type="application/json")
