"""What a run leaves for people: files in a folder."""

from __future__ import annotations

from bot.output.folder import OutputFolder

__all__ = ["OutputFolder"]
