"""Folders and repositories that integration tests share."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def reachable() -> Iterator[Path]:
    """Return a folder that the sandbox's own user can enter; pytest's folders are closed to others."""
    with tempfile.TemporaryDirectory(
        prefix="suture-test-", dir="/var/tmp", ignore_cleanup_errors=True
    ) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)
