"""Hook deliveries that did not arrive, asked of GitHub in the App's own name."""

from __future__ import annotations

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bot.github.wire import Wire

PATH = "/app/hook/deliveries"
PAGES = 50


def failed(app: Wire, since: datetime) -> list[int]:
    """Return one delivery id for each event that never arrived since then, oldest first."""
    seen = list(_recent(app, since))
    arrived = {delivery["guid"] for delivery in seen if _ok(delivery)}
    lost: dict[str, int] = {}
    for delivery in seen:  # newest first, so the first attempt of an event is kept
        if delivery["guid"] not in arrived:
            lost[delivery["guid"]] = int(delivery["id"])
    return list(reversed(lost.values()))


def redeliver(app: Wire, delivery: int) -> None:
    """Ask for another attempt; the event keeps its delivery id, so that it counts once."""
    app.post(f"{PATH}/{delivery}/attempts", {})


def since(seconds: float, now: datetime) -> datetime:
    """Return the start of a window that ends now."""
    return now - timedelta(seconds=seconds)


def _recent(app: Wire, start: datetime) -> Iterator[dict[str, Any]]:
    address = PATH
    for _ in range(PAGES):
        headers, page = app.requestJsonAndCheck("GET", address, parameters={"per_page": 100})
        fresh = [delivery for delivery in page if _time(delivery) >= start]
        yield from fresh
        following = _next(headers.get("link", ""))
        if len(fresh) < len(page) or not following:
            return
        address = following


def _time(delivery: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(delivery["delivered_at"])


def _ok(delivery: dict[str, Any]) -> bool:
    return HTTPStatus.OK <= int(delivery["status_code"]) < HTTPStatus.MULTIPLE_CHOICES


def _next(link: str) -> str:
    parts: Iterable[str] = link.split(",")
    return next((part.split(">")[0].strip(" <") for part in parts if 'rel="next"' in part), "")
