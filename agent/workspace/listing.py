"""Which files of a project belong to it: what git tracks or does not ignore, else what is no build output."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from agent.errors import ProjectError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TIMEOUT_SECONDS = 120
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
    """Ask git; nothing the repository's own configuration names may run."""
    command = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
    }
    try:
        completed = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, timeout=_TIMEOUT_SECONDS, check=False
        )
    except FileNotFoundError:
        raise ProjectError("git is not installed; install it, or give a plain folder.") from None
    except subprocess.TimeoutExpired:
        raise ProjectError(f"git did not list {root.name} within {_TIMEOUT_SECONDS} s.") from None
    if completed.returncode:
        reason = completed.stderr.decode(errors="replace").strip().splitlines()
        raise ProjectError(f"git cannot read {root.name}: {reason[-1] if reason else 'no reason given'}.")
    seen: set[bytes] = set()
    for path in completed.stdout.split(b"\0"):
        # A file in conflict is listed once a stage.
        if path and path not in seen:
            seen.add(path)
            yield path


def _folder_files(root: bytes) -> Iterator[bytes]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if os.fsdecode(name) not in _OUTPUT_FOLDERS)
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]  # noqa: PTH114, PTH118 (bytes)
        for name in sorted([*files, *links]):
            yield os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118 (bytes)
