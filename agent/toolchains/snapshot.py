"""What detection may look at: the names in a tree and the text of its manifests, read once."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SKIPPED_FOLDERS = frozenset({".git", ".hg", ".tox", ".nox", ".venv", "venv", "node_modules", "__pycache__"})
MANIFESTS = frozenset(
    {
        *(
            "Makefile",
            "GNUmakefile",
            "makefile",
            "Pipfile",
            "Pipfile.lock",
            "setup.py",
            "noxfile.py",
            "PKG-INFO",
        ),
        *("package.json", ".mocharc.json", "lerna.json", ".npmrc", ".travis.yml", "pnpm-workspace.yaml"),
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"),
        *("uv.lock", "poetry.lock", "pdm.lock", ".python-version", ".nvmrc", ".node-version"),
    }
)
SUFFIXES = (".toml", ".cfg", ".ini", ".txt", ".in", ".yml", ".yaml", ".sh", ".md", ".rst")
SCRIPT_FOLDERS = frozenset({"scripts", "script", "bin", "ci", ".ci", "tools"})
MAX_FILES = 50_000
MAX_DEPTH = 4
MAX_TEXT = 300_000
MAX_LOCK = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Names of all regular files (relative, ``/``), texts of the manifests, and the newest file's day."""

    paths: frozenset[str]
    texts: Mapping[str, str] = field(default_factory=dict)
    newest: date | None = None

    def text(self, path: str) -> str:
        """Return the text of a manifest, empty when there is none."""
        return self.texts.get(path, "")

    def exists(self, path: str) -> bool:
        """Return whether ``path`` is a file or a folder with files."""
        name = path.removeprefix("./").rstrip("/")
        return name in self.paths or any(known.startswith(f"{name}/") for known in self.paths)


def take(tree: Path) -> Snapshot:
    """Read a tree; links are not followed, so nothing outside of it is read."""
    found = list(islice(_regular_files(tree), MAX_FILES))
    texts = {path: text for path, size in _wanted(found) if (text := _text(tree / path, size)) is not None}
    newest = max((modified for _path, _size, modified in found), default=None)
    return Snapshot(
        paths=frozenset(path for path, _size, _modified in found),
        texts=texts,
        newest=None if newest is None else datetime.fromtimestamp(newest, tz=UTC).date(),
    )


def _regular_files(tree: Path) -> Iterator[tuple[str, int, float]]:
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            try:
                found = path.lstat()
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode):
                yield path.relative_to(tree).as_posix(), found.st_size, found.st_mtime


def _wanted(found: list[tuple[str, int, float]]) -> Iterator[tuple[str, int]]:
    for path, size, _modified in found:
        if wanted(path) and size <= (MAX_LOCK if _is_lock(path) else MAX_TEXT):
            yield path, size


def wanted(path: str) -> bool:
    """Return whether a file's text says how the project is built or tested."""
    *folders, name = path.split("/")
    if len(folders) > MAX_DEPTH or (len(folders) > 1 and folders[0] != ".github" and name != "package.json"):
        return False
    in_scripts = len(folders) == 1 and folders[0] in SCRIPT_FOLDERS
    is_test = name.endswith(".py") and (name == "conftest.py" or "test" in path)
    return name in MANIFESTS or name.endswith(SUFFIXES) or is_test or (in_scripts and "." not in name)


def _is_lock(path: str) -> bool:
    return path.endswith((".lock", "-lock.json", "-lock.yaml", "npm-shrinkwrap.json"))


def _text(path: Path, size: int) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(size).decode("utf-8", errors="replace")
    except OSError:
        return None
