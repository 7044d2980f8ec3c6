"""A request as the testbed's parts see it, and their answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

DOCUMENTATION = "https://docs.github.com/rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to the REST API; ``token`` is the bare bearer."""

    method: str
    path: str
    query: dict[str, str]
    body: bytes
    token: str
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        """Return the body."""
        return json.loads(self.body) if self.body else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer; ``body`` is JSON."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


def refusal(status: int, message: str, *details: str) -> Reply:
    """Return an error in GitHub's form."""
    body: dict[str, Any] = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)}
    if details:
        body["errors"] = [{"resource": "testbed", "code": "custom", "message": detail} for detail in details]
    return Reply(status=status, body=body)
