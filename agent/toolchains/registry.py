"""The languages that Suture knows, and which of them a tree is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.errors import ProjectError
from agent.toolchains.cache import EnvironmentCache
from agent.toolchains.javascript import JavaScriptToolchain
from agent.toolchains.python import PythonToolchain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from agent.domain.project import BuildConfig, ProjectPlan
    from agent.ports import Toolchain

KNOWN = "Python or JavaScript"


def toolchains(folder: Path) -> tuple[PythonToolchain, JavaScriptToolchain]:
    """Return the toolchains with their caches below ``folder``; one folder for each owner of repositories."""
    cache = EnvironmentCache(folder / "environments")
    return (
        PythonToolchain(cache=cache, packages=folder / "packages" / "python"),
        JavaScriptToolchain(cache=cache, packages=folder / "packages" / "javascript"),
    )


def detect(tree: Path, config: BuildConfig, toolchains: Sequence[Toolchain]) -> tuple[Toolchain, ProjectPlan]:
    """Return the language of a tree and its plan; raise ``ProjectError`` when there is none.

    With several, one whose manifest and tests were found goes before one that has only files of its kind.
    """
    if not tree.is_dir():
        raise ProjectError(f"{tree} is no folder; give the folder of a {KNOWN} project")
    if not any(tree.iterdir()):
        raise ProjectError(f"{tree} is empty; give the folder of a {KNOWN} project")
    found = [(one, plan) for one in toolchains if (plan := one.detect(tree, config)) is not None]
    if not found:
        raise ProjectError(
            f"{tree} holds no {KNOWN} project: no manifest and no source file of these was found"
        )
    return max(found, key=lambda pair: _standing(pair[1], config))


def _standing(plan: ProjectPlan, config: BuildConfig) -> tuple[bool, bool, bool, bool]:
    asked = config.python if plan.language == "python" else config.node
    origins = plan.origins
    return (
        bool(asked),
        origins["manager"] != "convention",
        bool(plan.test),
        origins["test"] not in {"convention", "none found"},
    )
