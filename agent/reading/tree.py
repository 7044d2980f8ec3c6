"""The text files of a tree, with a candidate's changed files over them. Links, binaries and huge files are left out."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from retrieval.files.kinds import has_text, is_binary
from retrieval.files.outline import MODULE, outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agent.workspace import Workspace
    from retrieval.files.outline import Definition

MOST_BYTES = 1_000_000
_MOST_FILES = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableTree:
    """Reads a workspace's tree; ``changes`` are the new bytes of changed files, None for deleted ones."""

    workspace: Workspace
    changes: Mapping[str, bytes | None] = field(default_factory=dict)
    _paths: list[str] = field(default_factory=list, init=False)
    _outlines: dict[str, tuple[Definition, ...]] = field(default_factory=dict, init=False)

    def paths(self) -> list[str]:
        """Return the paths of regular files that promise text, in order."""
        if not self._paths:
            found = {path for path in self._walk() if self.changes.get(path, b"") is not None}
            found |= {path for path, content in self.changes.items() if content is not None}
            self._paths.extend(sorted(path for path in found if has_text(path)))
        return self._paths

    def text(self, path: str) -> str | None:
        """Return a file's text, None where there is none that can be read."""
        content = self.changes[path] if path in self.changes else self._small(path)
        if content is None or len(content) > MOST_BYTES or is_binary(content):
            return None
        return content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")

    def definitions(self, path: str) -> tuple[Definition, ...]:
        """Return the named definitions of a file in order."""
        if path not in self._outlines:
            text = self.text(path)
            found = outline(path, text) if text is not None else ()
            self._outlines[path] = tuple(item for item in found if item.kind != MODULE)
        return self._outlines[path]

    def _small(self, path: str) -> bytes | None:
        """Return the bytes of a file of the tree; its size is asked before it is read."""
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            return None
        try:
            size = (self.workspace.tree / path).lstat().st_size
        except (OSError, ValueError):
            return None
        return self.workspace.read(path) if size <= MOST_BYTES else None

    def _walk(self) -> Iterator[str]:
        root = os.fspath(self.workspace.tree)
        count = 0
        for folder, names, files in os.walk(root):
            names[:] = sorted(name for name in names if name != ".git")
            for name in sorted(files):
                full = os.path.join(folder, name)  # noqa: PTH118 - a walk over many files
                if os.path.islink(full) or not _printable(name):  # noqa: PTH114
                    continue
                count += 1
                if count > _MOST_FILES:
                    return
                yield os.path.relpath(full, root)


def _printable(name: str) -> bool:
    """Tell whether a name is plain UTF-8 without control characters."""
    return name.isprintable() and not any("\ud800" <= character <= "\udfff" for character in name)
