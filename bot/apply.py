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


def apply_changes(
    project: Path, changes: Mapping[str, bytes | None], before: Mapping[str, bytes | None]
) -> None:
    """Replace each changed file as a whole, keeping its mode; links are never followed.

    Nothing is written when a file is no longer what it was in ``before``: somebody worked on it meanwhile.
    """
    for path in changes:
        _refuse_links(project, project / path)
        if not _is_still(project / path, before.get(path)):
            raise ApplyError(f"{path} was changed during the run; apply patch.diff by hand.")
    for path, content in changes.items():
        target = project / path
        try:
            _replace(target, content)
        except OSError as error:
            raise ApplyError(f"cannot write {path}: {error.strerror}; apply patch.diff by hand.") from None


def _is_still(target: Path, content: bytes | None) -> bool:
    try:
        return target.read_bytes() == content
    except FileNotFoundError:
        return content is None
    except OSError:
        return True  # the writing itself will say what is wrong


def _refuse_links(project: Path, target: Path) -> None:
    if target.is_symlink() or not target.parent.resolve().is_relative_to(project.resolve()):
        raise ApplyError(f"{target.name} is behind a link; apply patch.diff by hand.")


def _replace(target: Path, content: bytes | None) -> None:
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
