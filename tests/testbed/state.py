"""What the testbed keeps beside the emulator: tokens it saw, deliveries, reactions, advisories, alerts."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request that reached the testbed, and how it was answered (0: not at all)."""

    method: str
    path: str
    query: str
    body: bytes
    viewer: str
    status: int


@dataclass(kw_only=True)
class Token:
    """An installation token that GitHub gave out."""

    permissions: dict[str, str]
    repositories: frozenset[int]

    def may(self, permission: str, level: str) -> bool:
        """Whether it holds a permission."""
        held = self.permissions.get(permission, "")
        return held == "write" or (held == "read" and level == "read")


@dataclass(kw_only=True)
class Delivery:
    """One attempt to deliver an event."""

    id: int
    guid: str
    event: str
    payload: dict[str, Any]
    delivered_at: datetime
    status_code: int
    redelivery: bool


@dataclass(kw_only=True)
class State:
    """Everything of ours; one lock, held for moments only."""

    tokens: dict[str, Token] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    reactions: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    advisories: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    dependabot: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    code_scanning: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    manifests: dict[str, dict[str, Any]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    suspended: bool = False
    drafts_allowed: bool = True
    lock: threading.RLock = field(default_factory=threading.RLock)
    numbers: Any = field(default_factory=lambda: count(1000))

    def renamed_to(self, old: str) -> str:
        """Return the name a repository has now."""
        return self.names.get(old, old)

    def next_id(self) -> int:
        """Return a number that was not used yet."""
        with self.lock:
            return int(next(self.numbers))


def now() -> str:
    """Return the time as GitHub writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
