"""The diff of a candidate in git's own format, made by git itself."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from agent.errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Mapping

_TIMEOUT_SECONDS = 60
_DIFFERENT = 1


class DiffError(AgentError):
    """Git could not compare two versions."""


def git_diff(
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes | None],
    executable: frozenset[str] = frozenset(),
) -> str:
    """Return the patch that leads from ``before`` to ``after``; it applies with ``git apply``.

    Both map paths (relative, ``/``) to bytes, None where the file does not exist. Bytes that are no UTF-8 are
    carried by surrogate escapes: encode with ``errors="surrogateescape"`` to get git's output back.
    """
    with tempfile.TemporaryDirectory(prefix="suture-diff-") as folder:
        root = Path(folder)
        for side, contents in (("a", before), ("b", after)):
            (root / side).mkdir()
            for path, content in contents.items():
                if content is not None:
                    _write(root / side / path, content, executable=path in executable)
        # With --no-prefix the folder names a and b are the prefixes that git apply expects.
        try:
            completed = subprocess.run(
                [
                    "git",
                    "diff",
                    "--no-index",
                    "--no-prefix",
                    "--no-color",
                    "--no-ext-diff",
                    "--no-textconv",
                    "--no-renames",
                    "--binary",
                    "--full-index",
                    "a",
                    "b",
                ],
                cwd=root,
                env=_quiet_environment(),
                capture_output=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise DiffError(f"git diff took longer than {_TIMEOUT_SECONDS} s") from None
    if completed.returncode > _DIFFERENT:
        raise DiffError(f"git diff failed: {completed.stderr.decode(errors='replace').strip()[:200]}")
    return completed.stdout.decode("utf-8", errors="surrogateescape")


def _write(path: Path, content: bytes, *, executable: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755 if executable else 0o644)


def _quiet_environment() -> dict[str, str]:
    """Keep the operator's git configuration, and so its diff drivers and attributes, out of it."""
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR", "SYSTEMROOT") if key in os.environ}
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "HOME": os.devnull,
    }
