"""Private folders that a killed run left behind: told from those in use by a lock of the kernel."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PREFIX = "suture-run-"
_YOUNG_SECONDS = 60.0  # one that was made just now may not be locked yet


def hold(folder: Path) -> int:
    """Mark a folder as in use until the descriptor is closed or the process ends, however it ends."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def sweep(parent: Path) -> int:
    """Remove the folders below ``parent`` that no process holds; return how many."""
    return sum(_removed(folder) for folder in parent.glob(f"{PREFIX}*"))


def _removed(folder: Path) -> bool:
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        if time.time() - os.fstat(handle).st_mtime < _YOUNG_SECONDS:
            return False
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        shutil.rmtree(folder, ignore_errors=True)
        return True
    finally:
        os.close(handle)
