"""Write an accepted patch into the project, when the operator asked for it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from bot.errors import BotError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class ApplyError(BotError):
    """The patch could not be written; nothing or only whole files were changed."""


def apply_changes(project: Path, changes: Mapping[str, bytes | None]) -> None:
    """Replace each changed file as a whole, keeping its mode; links are never followed."""
    for path, content in changes.items():
        target = project / path
        try:
            _replace(project, target, content)
        except OSError as error:
            raise ApplyError(f"cannot write {path}: {error.strerror}; apply patch.diff by hand.") from None


def _replace(project: Path, target: Path, content: bytes | None) -> None:
    if target.is_symlink() or not target.parent.resolve().is_relative_to(project.resolve()):
        raise ApplyError(f"{target.name} is behind a link; apply patch.diff by hand.")
    if content is None:
        target.unlink(missing_ok=True)
        return
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
    temporary = target.with_name(f".{target.name}.suture")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.chmod(mode)
    temporary.replace(target)
