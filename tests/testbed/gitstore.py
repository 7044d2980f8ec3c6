"""Bare repositories kept in step with the emulator, so that git's own server can serve what the API made.

The emulator's ids are true git ids: each object is rebuilt and must get the same id, or the testbed fails.
"""

from __future__ import annotations

import asyncio
import base64
import subprocess
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.testbed.refusals import Upstream


class GitStore:
    """The folder of bare repositories."""

    def __init__(self, root: Path, upstream: Upstream) -> None:
        self.root = root
        self._upstream = upstream
        self._lock = asyncio.Lock()

    async def refresh(self, repository: str) -> bool:
        """Bring one repository up to date; False when there is none."""
        status, refs = await self._upstream.get(f"/repos/{repository}/git/matching-refs/heads")
        if status != 200:
            return False
        _, found = await self._upstream.get(f"/repos/{repository}")
        async with self._lock:
            folder = self.root / f"{repository}.git"
            if not folder.exists():
                folder.parent.mkdir(parents=True, exist_ok=True)
                await self._git(None, "init", "-q", "--bare", str(folder))
            await self._git(folder, "symbolic-ref", "HEAD", f"refs/heads/{found['default_branch']}")
            for ref in refs:
                await self._commit(folder, repository, ref["object"]["sha"])
                await self._git(folder, "update-ref", ref["ref"], ref["object"]["sha"])
            await self._drop(folder, {ref["ref"] for ref in refs})
        return True

    async def _drop(self, folder: Path, kept: set[str]) -> None:
        listed = await self._git(folder, "for-each-ref", "--format=%(refname)")
        for ref in listed.decode().split():
            if ref not in kept:
                await self._git(folder, "update-ref", "-d", ref)

    async def _commit(self, folder: Path, repository: str, sha: str) -> None:
        pending = [sha]
        while pending:
            wanted = pending.pop()
            if await self._has(folder, wanted):
                continue
            _, commit = await self._upstream.get(f"/repos/{repository}/git/commits/{wanted}")
            await self._tree(folder, repository, commit["tree"]["sha"])
            await self._write(folder, "commit", _commit_bytes(commit), wanted)
            pending += [parent["sha"] for parent in commit["parents"]]

    async def _tree(self, folder: Path, repository: str, sha: str) -> None:
        if await self._has(folder, sha):
            return
        _, tree = await self._upstream.get(f"/repos/{repository}/git/trees/{sha}")
        for item in tree["tree"]:
            if item["type"] == "tree":
                await self._tree(folder, repository, item["sha"])
            elif item["type"] == "blob" and not await self._has(folder, item["sha"]):
                _, blob = await self._upstream.get(f"/repos/{repository}/git/blobs/{item['sha']}")
                await self._write(folder, "blob", base64.b64decode(blob["content"]), item["sha"])
        await self._write(folder, "tree", _tree_bytes(tree["tree"]), sha)

    async def _has(self, folder: Path, sha: str) -> bool:
        return (folder / "objects" / sha[:2] / sha[2:]).exists()

    async def _write(self, folder: Path, kind: str, content: bytes, expected: str) -> None:
        made = await self._git(
            folder, "hash-object", "-w", "--literally", "-t", kind, "--stdin", content=content
        )
        if made.decode().strip() != expected:
            raise RuntimeError(f"the emulator's {kind} {expected} is not what git makes of it")

    async def _git(self, folder: Path | None, *arguments: str, content: bytes = b"") -> bytes:
        place = ["-C", str(folder)] if folder else []
        process = await asyncio.create_subprocess_exec(
            "git", *place, *arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        out, err = await process.communicate(content)
        if process.returncode:
            raise RuntimeError(f"git {arguments[0]}: {err.decode()}")
        return out


def _commit_bytes(commit: dict[str, Any]) -> bytes:
    lines = [f"tree {commit['tree']['sha']}", *(f"parent {parent['sha']}" for parent in commit["parents"])]
    for role in ("author", "committer"):
        who = commit[role]
        moment = datetime.fromisoformat(who["date"])
        lines.append(f"{role} {who['name']} <{who['email']}> {int(moment.timestamp())} {moment:%z}")
    message = str(commit["message"])
    return ("\n".join(lines) + "\n\n" + message + ("" if message.endswith("\n") else "\n")).encode()


def _tree_bytes(items: list[dict[str, Any]]) -> bytes:
    def order(item: dict[str, Any]) -> bytes:
        return str(item["path"]).encode() + (b"/" if item["type"] == "tree" else b"")

    return b"".join(
        f"{item['mode'].lstrip('0')} {item['path']}\0".encode() + bytes.fromhex(item["sha"])
        for item in sorted(items, key=order)
    )
