"""From ranked files to the places that a patch is likely to change."""

from __future__ import annotations

from agent.localizing.relocalizing import relocalize

__all__ = ["relocalize"]
