"""Small git repositories made for tests, always the same: fixed names and times."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DAY = 86_400
START = 1_600_000_000


class Workshop:
    """A repository with a work tree; each commit is a day younger than the last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._day = 0
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Test")
        self.git("config", "user.email", "test@example.org")
        self.git("config", "commit.gpgsign", "false")

    @property
    def url(self) -> str:
        """Return an address that is cloned as over a network."""
        return f"file://{self.path}"

    def git(self, *arguments: str) -> str:
        """Run git in the work tree and return what it printed."""
        time = f"{START + self._day * DAY} +0000"
        environment = {
            "GIT_AUTHOR_DATE": time,
            "GIT_COMMITTER_DATE": time,
            "PATH": "/usr/bin:/bin:/usr/local/bin",
        }
        environment |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, files: Mapping[str, str | bytes | None], message: str) -> str:
        """Write the files (None deletes), commit everything and return the commit's id."""
        self._day += 1
        for name, content in files.items():
            path = self.path / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")
