"""Where the caller's files land inside: below ``/work`` or ``/tmp``, and never through a link that leaves."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from agent.errors import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping


class UnsafePathError(SandboxFaultError):
    """A file was to be written outside ``/work`` and ``/tmp``, or through a link that leads there."""

    retryable = False


def placed(files: Mapping[str, bytes], tree: Path | None) -> dict[str, bytes]:
    """Return ``files`` keyed by their path relative to ``/``, with links of ``tree`` resolved."""
    return {_place(key, tree): content for key, content in files.items()}


def _place(key: str, tree: Path | None) -> str:
    path = PurePosixPath(key)
    if ".." in path.parts or not path.name or "\0" in key:
        raise UnsafePathError(f"cannot write {key!r} in the sandbox: give a plain path below /work or /tmp")
    if path.is_absolute():
        return _absolute(path, tree)
    return _below_work(path, tree)


def _absolute(path: PurePosixPath, tree: Path | None) -> str:
    if path.is_relative_to("/work"):
        return _below_work(path.relative_to("/work"), tree)
    if path.is_relative_to("/tmp"):  # noqa: S108 - the sandbox's own, private /tmp
        return str(path)[1:]
    raise UnsafePathError(f"cannot write {str(path)!r} in the sandbox: only below /work or /tmp")


def _below_work(path: PurePosixPath, tree: Path | None) -> str:
    """Follow links of the tree in the parent; the last part itself replaces a link."""
    if tree is None or not any((tree / parent).is_symlink() for parent in path.parents):
        return f"work/{path}"
    root = os.path.realpath(tree)
    target = os.path.realpath(tree / path.parent)
    if os.path.commonpath((root, target)) != root:
        raise UnsafePathError(
            f"cannot write {str(path)!r} in the sandbox: a link on its way leaves the project"
        )
    return str(PurePosixPath("work") / os.path.relpath(target, root) / path.name)
