"""Questions about the boundary between attack and ordinary use, answered by programs that are run."""

from __future__ import annotations

from agent.diagnosing.boundary import Boundary, boundary

__all__ = ["Boundary", "boundary"]
