"""A model endpoint on this machine that says what it was told to, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Answer = web.Response | Callable[[dict[str, Any]], web.Response]


def build_answer(
    text: str | None = "hello", *calls: tuple[str, dict[str, Any]], **usage: int
) -> web.Response:
    """Return an answer as an endpoint gives it; ``calls`` are names and arguments of tools."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for at, (name, given) in enumerate(calls)
        ]
    counted = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, **usage}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return web.json_response({**body, "usage": counted})


def build_error(status: int, message: str = "no", *, code: str = "", **headers: str) -> web.Response:
    """Return an error as an endpoint gives it; ``retry_after="1"`` becomes the header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.json_response({"error": {"message": message, "code": code}}, status=status, headers=named)


@dataclass
class FakeEndpoint:
    """Answers in turn, the last one for ever."""

    answers: list[Answer]
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    async def complete(self, request: web.Request) -> web.Response:
        """Keep the question and give the next answer."""
        self.keys.append(request.headers.get("Authorization", ""))
        self.asked.append(await request.json())
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        made = answer(self.asked[-1]) if callable(answer) else answer
        return web.Response(status=made.status, headers=made.headers, body=made.body)


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[FakeEndpoint]:
    """Serve answers on a free port of the loopback interface."""
    endpoint = FakeEndpoint(list(answers))
    app = web.Application()
    app.router.add_post("/v1/chat/completions", endpoint.complete)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        endpoint.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield endpoint
    finally:
        await runner.cleanup()
