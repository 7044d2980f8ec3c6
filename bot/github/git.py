"""git outside the sandbox: on bare mirrors only, with everything a repository could set in motion off.

A token reaches git by the environment of one process, through a helper that prints it: it never stands in an
argument list, a configuration file or a remote's address.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import shutil
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.github.errors import GitError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

TOKEN = "SUTURE_GIT_TOKEN"  # noqa: S105 - the name of a variable
ASKPASS = f"""#!/bin/sh
case "$1" in
Username*) echo x-access-token ;;
*) printf '%s\\n' "${TOKEN}" ;;
esac
"""
OFF = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.askPass=",
    "credential.helper=",
    "credential.interactive=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "protocol.https.allow=always",
    "http.followRedirects=false",  # a redirect could ask our helper for the token in another host's name
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
)
STDERR_BYTES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GitLimits:
    """Bounds for one git process: seconds, and the size of the largest file it may write (a pack)."""

    seconds: float = 900.0
    file_bytes: int = 4 * 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """Runs git; ``home`` is an empty folder that holds the helper.

    ``environment`` is what git may learn of the operator's (proxies, certificates); ``insecure`` allows plain
    HTTP, for a GitHub on this machine.
    """

    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: GitLimits = field(default_factory=GitLimits)
    insecure: bool = False

    async def run(self, *arguments: str, token: str = "") -> bytes:
        """Return what git printed; raise ``GitError`` when it failed, or was stopped at a limit."""
        async with self.process(*arguments, token=token) as process:
            out, err = await process.communicate()
        if process.returncode:
            words = err[-STDERR_BYTES:].decode(errors="replace")
            raise GitError(_verb(arguments), process.returncode, words)
        return out

    @contextlib.asynccontextmanager
    async def process(
        self, *arguments: str, token: str = "", stdout: int = asyncio.subprocess.PIPE
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        """Start git in a process group of its own; one that still runs at the end is killed with its children."""
        process = await asyncio.create_subprocess_exec(
            *(_program(), *(item for option in self._off() for item in ("-c", option)), *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=stdout,
            stderr=asyncio.subprocess.PIPE,
            env=self._environment(token),
            start_new_session=True,
        )
        with contextlib.suppress(ProcessLookupError):  # it may be over already
            bound = (self.limits.file_bytes, self.limits.file_bytes)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, bound)
        try:
            async with asyncio.timeout(self.limits.seconds):
                yield process
        except TimeoutError:
            raise GitError(_verb(arguments), None, f"stopped after {self.limits.seconds:g} seconds") from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()

    def install_helper(self) -> None:
        """Write the helper that hands the token over."""
        self.home.mkdir(parents=True, exist_ok=True)
        if self._helper.exists() and self._helper.read_text() == ASKPASS:
            return
        fresh = self._helper.with_name(f"askpass.{os.getpid()}")
        fresh.write_text(ASKPASS)
        fresh.chmod(0o700)
        fresh.replace(self._helper)  # never half-written under another process that runs it

    @property
    def _helper(self) -> Path:
        return self.home / "askpass"

    def _off(self) -> tuple[str, ...]:
        return (*OFF, "protocol.http.allow=always") if self.insecure else OFF

    def _environment(self, token: str) -> Mapping[str, str]:
        environment = {
            **self.environment,
            "PATH": os.defpath,
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home),
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_LFS_SKIP_SMUDGE": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
        }
        if token:
            environment |= {"GIT_ASKPASS": str(self._helper), TOKEN: token}
        return environment


def _verb(arguments: Sequence[str]) -> str:
    return next((argument for argument in arguments if not argument.startswith("-")), "")


def _program() -> str:
    """Return where git is; what it runs itself it finds on its own."""
    found = shutil.which("git")
    if found is None:
        raise GitError("git", None, "git is not installed")
    return found
