"""Is this machine ready? One check a thing, each with what to do about it."""

from __future__ import annotations

from bot.doctor.examination import examine
from bot.doctor.finding import Finding, Status

__all__ = ["Finding", "Status", "examine"]
