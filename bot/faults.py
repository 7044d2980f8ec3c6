"""Named points where a test may stop the process; nothing happens at them in production."""

from __future__ import annotations

from typing import Protocol


class Faults(Protocol):
    """Told of each point that is reached."""

    async def reach(self, point: str) -> None:
        """Return, or end the process."""
        ...


class NoFaults:
    """What runs in production."""

    async def reach(self, point: str) -> None:
        """Return at once."""
