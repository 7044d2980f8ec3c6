"""The HTTP side: ``/webhook``, ``/healthz``, ``/readyz``, ``/metrics``. Answers are JSON, but the metrics."""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

import structlog
from aiohttp import web

from bot.webhook.errors import WebhookRefusedError
from bot.webhook.request import SIGNATURE, check_headers, check_signature, read_delivery

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.telemetry import Metrics
    from bot.webhook.intake import Intake

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """The routes and what they need; ``ready`` says why the process cannot serve, or nothing."""

    intake: Intake
    metrics: Metrics
    secrets: Sequence[bytes]
    limit: int
    ready: Callable[[], Awaitable[str]]
    now: Callable[[], float] = time.time

    def application(self, *, webhook: bool = True) -> web.Application:
        """Return the aiohttp application; a mere worker takes no webhooks."""
        routes = [
            web.get("/healthz", self.healthz),
            web.get("/readyz", self.readyz),
            web.get("/metrics", self.render_metrics),
        ]
        if webhook:
            routes.append(web.post("/webhook", self.webhook))
        application = web.Application(client_max_size=self.limit, middlewares=[_json_errors])
        application.add_routes(routes)
        return application

    async def webhook(self, request: web.Request) -> web.Response:
        """Verify, store, answer 202; a delivery seen before is answered alike and does nothing."""
        with self.metrics.answer_seconds.time():
            try:
                fresh = await self._take(request)
            except WebhookRefusedError as error:
                self.metrics.deliveries.labels(answer=str(error.status.value)).inc()
                raise
            self.metrics.deliveries.labels(answer="accepted" if fresh else "duplicate").inc()
        return web.json_response({"accepted": True, "duplicate": not fresh}, status=HTTPStatus.ACCEPTED)

    async def healthz(self, _request: web.Request) -> web.Response:
        """Say that the loop turns."""
        return web.json_response({"alive": True})

    async def readyz(self, _request: web.Request) -> web.Response:
        """Say whether webhooks can be stored and jobs be run."""
        problem = await self.ready()
        status = HTTPStatus.SERVICE_UNAVAILABLE if problem else HTTPStatus.OK
        return web.json_response({"ready": not problem, "problem": problem}, status=status)

    async def render_metrics(self, _request: web.Request) -> web.Response:
        """Return the metrics as text."""
        return web.Response(body=self.metrics.render(), content_type="text/plain", charset="utf-8")

    async def _take(self, request: web.Request) -> bool:
        check_headers(request.headers, self.limit)
        body = await request.read()
        check_signature(body, request.headers[SIGNATURE], self.secrets)
        delivery = read_delivery(request.headers, body, self.now())
        log.info("delivery_received", delivery_id=delivery.guid, event_name=delivery.event)
        return await self.intake.take(delivery)


@web.middleware
async def _json_errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Answer every failure with JSON and without details of the inside.

    GitHub does not repeat a failed delivery by itself; the redelivery sweep asks for it again.
    """
    try:
        return await handler(request)
    except WebhookRefusedError as error:
        return _problem(error.status, error.message)
    except web.HTTPException as error:
        return _problem(HTTPStatus(error.status), error.reason)
    except Exception:  # the server's own edge
        log.exception("request_failed")
        return _problem(HTTPStatus.SERVICE_UNAVAILABLE, "cannot store the delivery now")


def _problem(status: HTTPStatus, message: str) -> web.Response:
    return web.json_response({"error": message}, status=status)
