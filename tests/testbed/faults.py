"""Faults on order: the n-th request of a kind answers badly, late, or not at all."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from enum import StrEnum


class Moment(StrEnum):
    """``BEFORE``: GitHub did nothing. ``AFTER``: it did the work and only the answer is lost."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(kw_only=True)
class Fault:
    """What happens to the requests that match (two patterns), from the ``first`` on, ``times`` times.

    ``status`` 0 cuts the connection; ``seconds`` delays the answer.
    """

    method: str
    path: str
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "made to fail"
    moment: Moment = Moment.BEFORE
    seconds: float = 0.0
    first: int = 1
    times: int = 1
    seen: int = 0
    fired: int = 0

    def meets(self, method: str, path: str) -> bool:
        """Count a request that matches; say whether it is to fail."""
        if not re.fullmatch(self.method, method) or not re.search(self.path, path):
            return False
        self.seen += 1
        if self.first <= self.seen < self.first + self.times:
            self.fired += 1
            return True
        return False


class FaultPlan:
    """The faults of one test."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> Fault:
        """Order a fault; keep it to see whether it was met."""
        with self._lock:
            self._faults.append(fault)
        return fault

    def clear(self) -> None:
        """Order nothing more."""
        with self._lock:
            self._faults.clear()

    def due(self, method: str, path: str) -> Fault | None:
        """Return the fault for this request."""
        with self._lock:
            return next((fault for fault in self._faults if fault.meets(method, path)), None)
