"""A real sandbox and one cache for all tests of a session; installs reach the package registries."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.project import BuildConfig, Environment, ProjectPlan, TestRun
from agent.sandbox.config import SandboxConfig
from agent.sandbox.select import open_sandbox
from agent.toolchains.registry import detect, toolchains

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from agent.ports import Sandbox, Toolchain


@pytest.fixture(scope="session")
def cache() -> Iterator[Path]:
    """Yield a folder that the sandbox's own user can get to."""
    folder = Path(tempfile.mkdtemp(prefix="suture-toolchains-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A tree with its toolchain, plan and sandbox."""

    tree: Path
    toolchain: Toolchain
    plan: ProjectPlan
    sandbox: Sandbox

    async def installed(self) -> Environment:
        """Return the environment."""
        return await self.toolchain.install(self.plan, self.tree, self.sandbox)

    async def tested(self, *, only: tuple[str, ...] = (), files: Mapping[str, bytes] | None = None,
                     seconds: float = 120) -> TestRun:  # fmt: skip
        """Install and run the tests."""
        environment = await self.installed()
        return await self.toolchain.test(
            environment, self.tree, self.sandbox, only=only, files=files, seconds=seconds
        )


@pytest.fixture
def project(tmp_path: Path, cache: Path) -> Callable[..., Project]:
    """Return a builder of projects from a mapping of files."""

    def build(files: Mapping[str, str], config: BuildConfig | None = None) -> Project:
        tree = tmp_path / "tree"
        for name, text in files.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        toolchain, plan = detect(tree, config or BuildConfig(), toolchains(cache))
        sandbox = open_sandbox(SandboxConfig(cache=cache, environment=dict(os.environ)))
        return Project(tree=tree, toolchain=toolchain, plan=plan, sandbox=sandbox)

    return build
