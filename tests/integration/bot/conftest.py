"""Databases, and a world for the jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.bot.world import World
from tests.postgres import database_url, postgres_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["database_url", "postgres_cluster"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a Suture that is installed and idle."""
    made = World(tmp_path)
    yield made
    made.close()
