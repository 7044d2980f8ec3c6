"""The published releases that the demonstration works on, and how they are brought here.

The registry's own client fetches them, in the sandbox's install phase: fetching a source distribution may run
code of its author.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from agent.domain.execution import Limits, Mount, Phase, SandboxCommand
from bot.errors import BotError
from bot.github.export import TreeLimits, unpack

if TYPE_CHECKING:
    from agent.ports import Sandbox

_SECONDS = 180.0


class DemoError(BotError):
    """A release could not be brought, or is not what it was."""


class Release(BaseModel):
    """``demo.yaml``: one release by name, version and digest; the rule that fixes it, and in which file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ecosystem: Literal["npm", "pypi"]
    package: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]+$")]
    version: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.+-]+$")]
    artifact: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._+-]+$")]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    folder: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._+-]+$")]
    rule: str
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A release and the report of its flaw."""

    release: Release
    report: Path


def read_demos(folder: Path) -> list[Demo]:
    """Return the demonstrations below ``folder``, in the order of their names."""
    found = []
    for described in sorted(folder.glob("*/demo.yaml")):
        try:
            release = Release.model_validate(yaml.safe_load(described.read_text("utf-8")))
        except (ValidationError, yaml.YAMLError) as error:
            raise DemoError(f"{described} cannot be read: {type(error).__name__}") from None
        found.append(Demo(release=release, report=described.with_name("report.md")))
    if not found:
        raise DemoError(f"there is no demonstration in {folder}")
    return found


async def bring(release: Release, cache: Path, sandbox: Sandbox) -> Path:
    """Return the unpacked release below ``cache``; fetch it when it is not there yet."""
    archive = cache / release.artifact
    content = _cached(archive) or await _fetch(release, sandbox)
    if hashlib.sha256(content).hexdigest() != release.sha256:
        raise DemoError(f"{release.artifact} is not the file it was: its digest differs; remove {archive}")
    return _unpack(content, archive) / release.folder


def _cached(archive: Path) -> bytes | None:
    return archive.read_bytes() if archive.exists() else None


async def _fetch(release: Release, sandbox: Sandbox) -> bytes:
    execution = await sandbox.run(
        SandboxCommand(
            argv=_client(release),
            mounts=_interpreter(release),
            cwd="/tmp",  # noqa: S108 (inside the sandbox it is private)
            phase=Phase.INSTALL,
            limits=Limits(wall_seconds=_SECONDS),
            collect=(f"/tmp/{release.artifact}",),  # noqa: S108
        )
    )
    if execution.exit_code or not execution.collected:
        lines = (execution.stderr or execution.stdout).strip().splitlines()
        raise DemoError(
            f"{release.package} {release.version} could not be fetched: {lines[-1] if lines else 'no output'}"
        )
    return next(iter(execution.collected.values()))


def _client(release: Release) -> tuple[str, ...]:
    if release.ecosystem == "npm":
        return ("npm", "pack", "--silent", f"{release.package}@{release.version}")
    # Only the release itself as its source: what its build needs may come built, which saves most of a minute.
    options = '--no-deps --no-binary "$1" --disable-pip-version-check -d /tmp'
    fetch = f'"$0" -m venv /tmp/fetch && /tmp/fetch/bin/pip download {options} "$1==$2"'
    return ("sh", "-c", fetch, _base_interpreter(), release.package, release.version)


def _base_interpreter() -> str:
    """Return the interpreter below our environment: to show all of that to the sandbox would take a minute."""
    return str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")


def _interpreter(release: Release) -> tuple[Mount, ...]:
    if release.ecosystem == "npm" or sys.base_prefix.startswith("/usr"):
        return ()
    return (Mount(host=Path(sys.base_prefix), inside=sys.base_prefix),)


def _unpack(content: bytes, archive: Path) -> Path:
    """Keep the archive and unpack it anew, so that every demonstration starts from what was published."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(content)
    target = archive.with_name(f"{archive.name}.unpacked")
    shutil.rmtree(target, ignore_errors=True)
    # Not tarfile's extraction filters: Python 3.11 has them from 3.11.4 on only, Debian 12 ships 3.11.2.
    unpack(io.BytesIO(gzip.decompress(content)), target, TreeLimits())
    return target
