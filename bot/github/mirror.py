"""One bare mirror: made, fetched, mended, asked for commits, and written out as plain folders."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog

from bot.errors import GitHubError
from bot.github.errors import GitError
from bot.github.export import ATTRIBUTES, TreeLimits, Unpacked, unpack

if TYPE_CHECKING:
    from pathlib import Path

    from bot.github.git import Git

SHA = re.compile(r"^[0-9a-f]{40}([0-9a-f]{24})?$")
REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
FETCH = (
    *("fetch", "--quiet", "--force", "--no-auto-maintenance"),
    *("--no-write-fetch-head", "--no-recurse-submodules"),
)
BROKEN = ("not a git repository", "bad object", "corrupt", "missing blob", "unable to read", "loose object")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """The mirror in ``path``; whoever calls holds its lock."""

    path: Path
    git: Git

    async def fetch(self, address: str, token: str, head: str) -> None:
        """Bring all branches and tags up to date; ``head`` is the default branch."""
        await asyncio.to_thread(self._prepare)
        if not (self.path / "HEAD").is_file():
            await self.git.run("init", "--quiet", "--bare", "--template=", str(self.path))
            await asyncio.to_thread(self._prepare)
        await self._run("symbolic-ref", "HEAD", f"refs/heads/{head}")
        await self._run(*FETCH, "--prune", address, *REFS, token=token)

    async def fetch_commit(self, address: str, token: str, sha: str) -> None:
        """Fetch a commit that no branch holds: of a fork, or of a branch that was deleted."""
        await self._run(*FETCH, address, sha, token=token)

    async def commit(self, name: str) -> str | None:
        """Return the id of the commit a name stands for, None when the mirror does not hold it."""
        try:
            found = await self._run(
                "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
            )
        except GitError:
            return None
        return found.decode().strip()

    async def export(self, commit: str, into: Path, limits: TreeLimits) -> Unpacked:
        """Write one commit into a new folder; an unfinished one is removed."""
        try:
            return await self._export(commit, into, limits)
        except BaseException:
            await asyncio.to_thread(partial(shutil.rmtree, into, ignore_errors=True))
            raise

    async def discard_if_broken(self, error: GitError) -> bool:
        """Throw a damaged mirror away, so that the next fetch begins anew; say whether that was so."""
        if not any(sign in error.words.lower() for sign in BROKEN):
            return False
        log.warning("mirror_discarded", mirror=self.path.name)
        await asyncio.to_thread(partial(shutil.rmtree, self.path, ignore_errors=True))
        return True

    async def _export(self, commit: str, into: Path, limits: TreeLimits) -> Unpacked:
        """Unpack while git writes into a pipe."""
        read, write = os.pipe()
        arguments = (f"--git-dir={self.path}", "archive", "--format=tar", commit)
        with os.fdopen(read, "rb") as stream, os.fdopen(write, "wb") as sink:
            async with self.git.process(*arguments, stdout=sink.fileno()) as process:
                sink.close()  # ours: the stream ends when git closes its own
                unpacked = await asyncio.to_thread(unpack, stream, into, limits)
                _, err = await process.communicate()
        if process.returncode:
            raise GitError("archive", process.returncode, err.decode(errors="replace"))
        return unpacked

    def _prepare(self) -> None:
        """Clear away what a process that was killed left, and switch off the repository's attributes."""
        self.git.install_helper()
        for pattern in ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*"):
            for leftover in self.path.glob(pattern):
                leftover.unlink(missing_ok=True)
        if self.path.exists():
            (self.path / "info").mkdir(exist_ok=True)
            (self.path / "info" / "attributes").write_text(ATTRIBUTES)

    async def _run(self, *arguments: str, token: str = "") -> bytes:
        return await self.git.run(f"--git-dir={self.path}", *arguments, token=token)


def checked_sha(sha: str) -> str:
    """Return a full commit id, so that it can be no option and no other name."""
    if not SHA.fullmatch(sha):
        raise GitHubError(f"{sha[:50]!r} is no commit id", status=None, retryable=False)
    return sha
