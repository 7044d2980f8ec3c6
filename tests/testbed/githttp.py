"""Clones over HTTP by ``git http-backend``; every repository asks for a token, as private ones do."""

from __future__ import annotations

import asyncio
import base64
import os
import subprocess
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from tests.testbed.gitstore import GitStore
    from tests.testbed.state import State

USER = "x-access-token"


class GitHTTP:
    """Serves fetches; pushes are refused: the App writes by the API alone."""

    def __init__(self, store: GitStore, state: State) -> None:
        self._store = store
        self._state = state

    async def serve(self, request: web.Request) -> web.Response:
        """Answer one request of the smart protocol."""
        owner, name, tail = (request.match_info[key] for key in ("owner", "name", "tail"))
        if not self._may_read(request):
            return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="GitHub"'})
        if "receive-pack" in tail + request.query_string:
            return web.Response(status=403, text="the testbed takes no pushes")
        if tail == "info/refs" and not await self._store.refresh(f"{owner}/{name}"):
            return web.Response(status=404, text="Repository not found.")
        return await self._backend(request, f"/{owner}/{name}.git/{tail}")

    def _may_read(self, request: web.Request) -> bool:
        scheme, _, encoded = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Basic":
            return False
        user, _, password = base64.b64decode(encoded).decode().partition(":")
        token = self._state.tokens.get(password)
        return user == USER and token is not None and token.may("contents", "read")

    async def _backend(self, request: web.Request, path: str) -> web.Response:
        body = await request.read()
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self._store.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": request.query_string,
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
            # A commit that no branch holds (of a fork) can be asked for by id, as at GitHub.
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "uploadpack.allowAnySHA1InWant",
            "GIT_CONFIG_VALUE_0": "true",
        }
        process = await asyncio.create_subprocess_exec(
            "git", "http-backend", stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        out, _ = await process.communicate(body)
        head, _, content = out.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        status = int(headers.pop("Status", "200").split()[0])
        return web.Response(status=status, headers=headers, body=content)
