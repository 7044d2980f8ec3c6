"""Checkouts of a tree that holds one file."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.ports import Checkout

if TYPE_CHECKING:
    from pathlib import Path

    from handlers.intents import Repository

BASE_SHA = "b" * 40


@dataclass(slots=True)
class FakeCheckouts:
    """Exports below ``root``; what was not released is still there."""

    root: Path
    exported: list[tuple[str, str, str]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    failure: Exception | None = None

    async def export(self, repository: Repository, branch: str = "", sha: str = "") -> Checkout:
        """Write the tree."""
        if self.failure is not None:
            raise self.failure
        self.exported.append((repository.full_name, branch, sha))
        tree = self.root / f"{repository.id}-{len(self.exported)}"
        tree.mkdir(parents=True)
        (tree / "app.py").write_text("vulnerable\n")
        return Checkout(tree=tree, mirror=self.root / "mirror", branch=branch or "main", sha=sha or BASE_SHA)

    async def release(self, checkout: Checkout) -> None:
        """Remove the tree."""
        shutil.rmtree(checkout.tree)

    async def drop(self, repository: Repository) -> None:
        """Remember."""
        self.dropped.append(repository.full_name)

    def left(self) -> list[str]:
        """Return trees that nobody released."""
        return sorted(path.name for path in self.root.glob("*")) if self.root.exists() else []


@dataclass(slots=True)
class FakeIndexer:
    """Remembers what it was told."""

    updated: list[tuple[str, str, str]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    async def update(self, repository: Repository, checkout: Checkout) -> None:
        """Remember."""
        self.updated.append((repository.full_name, checkout.branch, checkout.sha))

    async def drop(self, repository: Repository) -> None:
        """Remember."""
        self.dropped.append(repository.full_name)
