"""Webhook deliveries: taken from the emulator, given a real delivery id, kept, sent on, sent again."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import aiohttp

from tests.testbed.request import Reply, refusal
from tests.testbed.state import Delivery
from tests.testbed.world import INSTALLATION_ID, WEBHOOK_SECRET

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from tests.testbed.extras import Extras
    from tests.testbed.request import Request
    from tests.testbed.state import State

PATH = "/app/hook/deliveries"


class Hooks:
    """Sends events to one address, as GitHub does: ten seconds, no second attempt of its own."""

    def __init__(self, state: State, extras: Extras) -> None:
        self.target = ""
        self._extras = extras
        self._state = state
        self.running: set[asyncio.Task[None]] = set()

    def accept(self, event: str, payload: dict[str, Any]) -> None:
        """Take an event of the emulator and send it on."""
        if event == "issues" and "pull_request" in payload.get("issue", {}):
            return  # GitHub tells labels of a pull request as events of pull requests only
        self._begin(self._relay(event, payload))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    async def _relay(self, event: str, payload: dict[str, Any]) -> None:
        if event == "issue_comment":
            await self._mark_pull(payload)
        await self.send(event, payload, str(uuid.uuid4()))
        if event == "push":
            await self._synchronize(payload)

    async def _mark_pull(self, payload: dict[str, Any]) -> None:
        """Say of an issue that it is a pull request, which the emulator forgets."""
        path = f"/repos/{payload['repository']['full_name']}/pulls/{payload['issue']['number']}"
        status, pull = await self._extras.upstream.get(path)
        if status == 200:
            payload["issue"]["pull_request"] = {"url": pull["url"], "html_url": pull["html_url"]}

    async def _synchronize(self, push: dict[str, Any]) -> None:
        """Tell of open pull requests whose branch was pushed to, which the emulator forgets."""
        repository = push["repository"]["full_name"]
        _, pulls = await self._extras.upstream.get(f"/repos/{repository}/pulls?state=open&per_page=100")
        for pull in pulls:
            if f"refs/heads/{pull['head']['ref']}" == push["ref"]:
                await self._extras.with_head(repository, pull)
                payload = {**push, "action": "synchronize", "number": pull["number"], "pull_request": pull}
                await self.send("pull_request", payload, str(uuid.uuid4()))

    async def send(self, event: str, payload: dict[str, Any], guid: str, *, again: bool = False) -> None:
        """Make one attempt and keep it."""
        body = json.dumps(payload).encode()
        signature = hmac.new(WEBHOOK_SECRET.encode(), body, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/testbed",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": guid,
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": f"sha256={signature}",
        }
        status = await self._post(body, headers)
        with self._state.lock:
            self._state.deliveries.append(
                Delivery(
                    id=self._state.next_id(),
                    guid=guid,
                    event=event,
                    payload=payload,
                    delivered_at=datetime.now(UTC),
                    status_code=status,
                    redelivery=again,
                )
            )

    async def answer(self, request: Request) -> Reply | None:
        """Answer the App's questions about deliveries."""
        if request.method == "GET" and request.path == PATH:
            return self._page(request)
        if request.method == "POST" and request.path.startswith(PATH) and request.path.endswith("/attempts"):
            return await self._attempt(int(request.path.split("/")[-2]))
        return None

    def _page(self, request: Request) -> Reply:
        size, cursor = int(request.query.get("per_page", 30)), request.query.get("cursor", "")
        with self._state.lock:
            newest = sorted(self._state.deliveries, key=lambda delivery: -delivery.id)
        rest = [delivery for delivery in newest if not cursor or delivery.id < int(cursor)]
        page, more = rest[:size], rest[size:]
        link = f'<{PATH}?per_page={size}&cursor={page[-1].id}>; rel="next"' if more else ""
        return Reply(body=[_item(delivery) for delivery in page], headers={"Link": link} if link else {})

    async def _attempt(self, delivery: int) -> Reply:
        with self._state.lock:
            found = next((kept for kept in self._state.deliveries if kept.id == delivery), None)
        if found is None:
            return refusal(404, "Not Found")
        await self.send(found.event, found.payload, found.guid, again=True)
        return Reply(status=202, body={})

    async def _post(self, body: bytes, headers: dict[str, str]) -> int:
        if not self.target:
            return 502
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as session,
                session.post(self.target, data=body, headers=headers) as answer,
            ):
                return answer.status
        except (aiohttp.ClientError, TimeoutError):
            return 502


def _item(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": delivery.delivered_at.isoformat().replace("+00:00", "Z"),
        "redelivery": delivery.redelivery,
        "duration": 0.1,
        "status": "OK"
        if 200 <= delivery.status_code < 300
        else f"Invalid HTTP Response: {delivery.status_code}",
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.payload.get("action"),
        "installation_id": INSTALLATION_ID,
        "repository_id": delivery.payload.get("repository", {}).get("id"),
        "throttled_at": None,
    }
