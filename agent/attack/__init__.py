"""The same attack in other forms: variants and benign controls of a proof of concept. Pure."""

from __future__ import annotations

from agent.attack.catalogue import controls, variants

__all__ = ["controls", "variants"]
