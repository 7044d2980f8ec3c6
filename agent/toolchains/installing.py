"""Installs a plan in the sandbox: each attempt from nothing, recorded, until one holds; then it is cached."""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.domain.execution import Limits, Mount, Phase, SandboxCommand
from agent.domain.project import Environment, ProjectPlan
from agent.errors import EnvironmentFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from agent.domain.execution import Execution
    from agent.ports import Sandbox
    from agent.toolchains.cache import EnvironmentCache

ENV = "/env"
CACHE = "/cache"
TAIL_LINES = 40
BUILT = "built"
MAX_BUILT = 200
NETWORK = re.compile(
    r"timed out|timeout|temporary failure|connection (?:reset|refused|closed)|EAI_AGAIN|ECONNRESET|ETIMEDOUT"
    r"|\b50[0234]\b|error sending request|dns error",
    re.IGNORECASE,
)
INSTALL_LIMITS = Limits(
    wall_seconds=900,
    cpu_seconds=1800,
    memory_mb=6144,
    processes=1024,
    file_mb=2048,
    disk_mb=4096,
    open_files=8192,
)
# what a build put into the tree (compiled extensions, version files) is kept and shown again at its place
CARRY = f"""
mkdir -p {ENV}/{BUILT}
find . -newer /tmp/.suture-start -type f ! -path '*/__pycache__/*' ! -path './build/*' \\
  ! -path '*.egg-info/*' ! -path './.eggs/*' | grep -E '\\.(so|pyd)$|(^|/)_?version[^/]*\\.py$' \\
  | head -n {MAX_BUILT} | while IFS= read -r file; do cp --parents -- "$file" {ENV}/{BUILT}/; done
true
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a language adds to an install: mounts and variables, and folders of the entry shown elsewhere.

    ``packages`` is the host folder of package caches: whoever may write into it is trusted by all who read
    it, so give each owner of repositories one of their own. ``shown`` maps a folder of the entry to its place
    inside.
    """

    packages: Path
    env: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    carry: str = CARRY
    limits: Limits = INSTALL_LIMITS
    files: Mapping[str, bytes] = field(default_factory=dict)


async def install(
    plan: ProjectPlan, tree: Path, sandbox: Sandbox, cache: EnvironmentCache, recipe: Recipe
) -> Environment:
    """Return the plan's environment from the cache, or build it.

    Raises ``EnvironmentFailedError`` with the tail of the last attempt's log when no attempt holds.
    """
    started = time.monotonic()
    if (found := cache.find(plan.digest)) is not None:
        return _environment(plan, found, recipe, cached=True, seconds=time.monotonic() - started)
    async with cache.building(plan.digest, seconds=recipe.limits.wall_seconds) as folder:
        if (found := cache.find(plan.digest)) is None:
            facts = await _attempts(plan, tree, sandbox, folder, recipe)
            cache.publish(plan.digest, folder, facts)
    if (found := cache.find(plan.digest)) is None:
        raise EnvironmentFailedError("the environment was removed while it was being built", retryable=True)
    return _environment(plan, found, recipe, cached=False, seconds=time.monotonic() - started)


async def _attempts(
    plan: ProjectPlan, tree: Path, sandbox: Sandbox, folder: Path, recipe: Recipe
) -> Mapping[str, object]:
    tried: list[dict[str, object]] = []
    log = ""
    logs: list[str] = []
    for number, lines in enumerate((plan.install, *plan.fallbacks)):
        entry = folder / f"try-{number}"
        execution = await sandbox.run(_command(plan, lines, tree, entry, sandbox, recipe))
        tried.append(
            {"lines": list(lines), "exit": execution.exit_code, "seconds": round(execution.seconds, 1)}
        )
        log = _log(execution)
        logs.append(f"way {number + 1}\n{log}")
        if execution.exit_code != 0:
            tried[-1]["reason"] = reason_of(log)
        if execution.exit_code == 0:
            for part in entry.iterdir():
                part.rename(folder / part.name)
            entry.rmdir()
            (folder / "install.log").write_text("\n\n".join(logs), encoding="utf-8")
            return {"attempt": number, "tried": tried, "language": plan.language}
    reason = (
        f"the {plan.language} project could not be installed; {len(tried)} ways were tried: {reason_of(log)}"
    )
    raise EnvironmentFailedError(reason, log="\n\n".join(logs), retryable=NETWORK.search(log) is not None)


def _command(
    plan: ProjectPlan, lines: tuple[str, ...], tree: Path, entry: Path, sandbox: Sandbox, recipe: Recipe
) -> SandboxCommand:
    places = {"env": ENV, **recipe.shown}
    writable = [Mount(host=entry / name, inside=inside, writable=True) for name, inside in places.items()]
    writable.append(Mount(host=recipe.packages, inside=CACHE, writable=True))
    for mount in writable:
        sandbox.prepare_directory(mount.host)
    said = "\n".join(f"echo {shlex.quote('+ ' + line)}\n{line}" for line in lines)
    return SandboxCommand(
        argv=("bash", "-c", f"set -e\ntouch /tmp/.suture-start\n{said}\ncd /work\n{recipe.carry}"),
        tree=tree,
        files=recipe.files,
        mounts=(*recipe.mounts, *writable),
        env={**recipe.env, **plan.env},
        phase=Phase.INSTALL,
        limits=recipe.limits,
    )


def _log(execution: Execution) -> str:
    ended = (
        f"[exit {execution.exit_code}]"
        if execution.killed_by is None
        else f"[stopped: {execution.killed_by} limit]"
    )
    text = f"{execution.stdout}\n{execution.stderr}".strip()
    return "\n".join([*text.splitlines()[-TAIL_LINES * 5 :], ended])


FULL = "no room left in the cache folder; free some, or give another by SUTURE_CACHE_DIR"
_TELLING = re.compile(r"error|not found|no solution|failed|ERR!", re.IGNORECASE)
_POINTING = re.compile(r"complete log of this run|npm error (?:path|errno|code|syscall)\b|^\[", re.IGNORECASE)


def reason_of(log: str) -> str:
    """Return the line of a log that says most: the last that speaks of an error, else the last.

    Lines that only point to another log or repeat a number say nothing; a full disk is told by its own name.
    """
    if "ENOSPC" in log or "No space left on device" in log:
        return FULL
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    telling = [line for line in lines if _TELLING.search(line) and not _POINTING.search(line)]
    return (telling or lines or ["no output"])[-1][:300]


def real_folder(base: Path, *names: str) -> Path | None:
    """Return a folder of an entry, None where it is missing or a link on the way could lead out of the entry.

    What an install left is not trusted: a link to a folder of the host would show that folder inside.
    """
    for name in names:
        base = base / name
        if base.is_symlink() or not base.is_dir():
            return None
    return base


def _environment(
    plan: ProjectPlan, folder: Path, recipe: Recipe, *, cached: bool, seconds: float
) -> Environment:
    places = {"env": ENV, **recipe.shown}
    shown = [mount for mount in recipe.mounts if not mount.inside.startswith("/opt/suture")]
    shown += [
        Mount(host=found, inside=inside)
        for name, inside in places.items()
        if (found := real_folder(folder, name)) is not None
    ]
    return Environment(
        plan=plan,
        mounts=(*shown, *_built(real_folder(folder, "env", BUILT))),
        env={**recipe.env, **plan.env},
        cached=cached,
        seconds=seconds,
    )


def _built(folder: Path | None) -> tuple[Mount, ...]:
    if folder is None:
        return ()
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return tuple(
        Mount(host=path, inside=f"/work/{path.relative_to(folder).as_posix()}") for path in files[:MAX_BUILT]
    )
