"""Which files of a project belong to it: what git tracks or does not ignore, else what is no build output."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.errors import ProjectError
from retrieval.errors import GitError, GitTimeoutError
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TIMEOUT_SECONDS = 120
_CLIMBING = frozenset({b"", b".", b".."})
_OUTPUT_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        ".venv",
        "venv",
        "__pycache__",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".eggs",
    }
)


def project_files(root: Path) -> Iterator[bytes]:
    """Yield the paths of the project's files and links, relative to ``root``, as the bytes the disk has."""
    if (root / ".git").exists():
        yield from _git_files(root)
    else:
        yield from _folder_files(os.fsencode(root))


def _git_files(root: Path) -> Iterator[bytes]:
    """Ask git; nothing the repository's own configuration names may run, and nothing is fetched."""
    if shutil.which("git") is None:
        raise ProjectError("git is not installed; install it, or give a plain folder.")
    listed = GitRepository(root, seconds=_TIMEOUT_SECONDS).records(
        "ls-files", "-z", "--cached", "--others", "--exclude-standard"
    )
    try:
        # A file in conflict is listed once a stage.
        yield from dict.fromkeys(path for path in listed if path)
    except GitTimeoutError:
        raise ProjectError(f"git did not list {root.name} within {_TIMEOUT_SECONDS} s.") from None
    except GitError as error:
        raise ProjectError(f"git cannot read {root.name}: {error.reason}.") from None


def _folder_files(root: bytes) -> Iterator[bytes]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if os.fsdecode(name) not in _OUTPUT_FOLDERS)
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118 (bytes)
        for name in sorted([*files, *links]):
            yield os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118 (bytes)


@dataclass(frozen=True, slots=True)
class Reached:
    """Tells which listed paths lie inside of ``root``: an index is made by others and can name anything.

    A path that is absolute, climbs, enters ``.git`` or leads through a link is refused.
    """

    root: bytes
    _plain: set[bytes] = field(default_factory=set)

    def safely(self, path: bytes) -> bool:
        """Tell whether ``path``, relative to the root, can be copied without leaving it."""
        parts = path.split(b"/")
        if any(part in _CLIMBING or part.lower() == b".git" for part in parts):
            return False
        return all(self._is_plain(b"/".join(parts[:depth])) for depth in range(1, len(parts)))

    def _is_plain(self, folder: bytes) -> bool:
        if folder not in self._plain:
            if os.path.islink(os.path.join(self.root, folder)):  # noqa: PTH114, PTH118 (bytes)
                return False
            self._plain.add(folder)
        return True
