"""GitHub's own webhook examples and schema, from the npm packages below ``tests/data/webhooks``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.handlers.builders import EVERY_EVENT

if TYPE_CHECKING:
    from handlers.events.event import Event

FOLDER = Path(__file__).parents[2] / "data" / "webhooks" / "node_modules" / "@octokit"
MISSING = "GitHub's payloads are not installed; run: make setup-tests"

installed = pytest.mark.skipif(not FOLDER.is_dir(), reason=MISSING)


GITHUB = "api.github.com"
ENTERPRISE_SERVERS = ("ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35")


@cache
def examples(host: str = GITHUB) -> dict[str, list[dict[str, Any]]]:
    """Return the examples of a GitHub by event; they are shared, so copy before changing one."""
    if not FOLDER.is_dir():
        return {}
    path = FOLDER / "webhooks-examples" / host / "index.json"
    listed = json.loads(path.read_text(encoding="utf-8"))
    return {entry["name"]: entry["examples"] for entry in listed}


@cache
def schema() -> dict[str, Any]:
    """Return GitHub's OpenAPI description of its webhooks."""
    path = FOLDER / "openapi-webhooks" / "generated" / "api.github.com.json"
    description: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return description


def sample(event: Event[Any]) -> dict[str, Any]:
    """Return a payload that an event understands: one of ours, else GitHub's example, its action adapted."""
    if event.name in EVERY_EVENT:
        return EVERY_EVENT[event.name]
    if not FOLDER.is_dir():
        pytest.skip(MISSING)
    known = [one for one in examples()[event.name] if one.get("action") in event.actions]
    first = known[0] if known else examples()[event.name][0]
    return first if known or not event.actions else first | {"action": min(event.actions)}


def example(event: str, action: str | None = None, nth: int = 0) -> dict[str, Any]:
    """Return a copy of the ``nth`` example of an event with an action."""
    found = [one for one in examples()[event] if one.get("action") == action]
    copy: dict[str, Any] = json.loads(json.dumps(found[nth]))
    return copy
