"""Builders of snapshots."""

from __future__ import annotations

from datetime import date

from agent.toolchains.snapshot import Snapshot

TODAY = date(2025, 6, 1)


def build_snapshot(texts: dict[str, str] | None = None, *paths: str, newest: date | None = TODAY) -> Snapshot:
    """Return a snapshot with manifests ``texts`` and further files ``paths``."""
    return Snapshot(paths=frozenset((*(texts or {}), *paths)), texts=texts or {}, newest=newest)
