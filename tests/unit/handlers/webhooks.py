"""GitHub's own webhook examples and schema, from the npm packages below ``tests/data/webhooks``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "data" / "webhooks" / "node_modules" / "@octokit"
MISSING = "GitHub's payloads are not installed; run: make setup-testbed"

installed = pytest.mark.skipif(not FOLDER.is_dir(), reason=MISSING)


@cache
def examples() -> dict[str, list[dict[str, Any]]]:
    """Return the examples of github.com by event; they are shared, so copy before changing one."""
    if not FOLDER.is_dir():
        return {}
    path = FOLDER / "webhooks-examples" / "api.github.com" / "index.json"
    listed = json.loads(path.read_text(encoding="utf-8"))
    return {entry["name"]: entry["examples"] for entry in listed}


@cache
def schema() -> dict[str, Any]:
    """Return GitHub's OpenAPI description of its webhooks."""
    path = FOLDER / "openapi-webhooks" / "generated" / "api.github.com.json"
    description: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return description


def example(event: str, action: str | None = None, nth: int = 0) -> dict[str, Any]:
    """Return a copy of the ``nth`` example of an event with an action."""
    found = [one for one in examples()[event] if one.get("action") == action]
    copy: dict[str, Any] = json.loads(json.dumps(found[nth]))
    return copy
