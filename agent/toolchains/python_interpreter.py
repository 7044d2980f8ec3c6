"""Which of this machine's Pythons a project gets, and how far its packages may be from its time. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from agent.toolchains.choice import CONFIGURED
from agent.toolchains.python_manifests import pep440

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent.toolchains.snapshot import Snapshot

OLD = timedelta(days=60)
SLACK = timedelta(days=14)
# before wheels for an interpreter were common (half a year after its release), old packages would be compiled
RELEASED = {
    "3.9": date(2020, 10, 5),
    "3.10": date(2021, 10, 4),
    "3.11": date(2022, 10, 24),
    "3.12": date(2023, 10, 2),
    "3.13": date(2024, 10, 7),
    "3.14": date(2025, 10, 7),
}
WHEELS = timedelta(days=180)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python of the host, and what to say of the choice."""

    version: str
    path: str
    said: str


def interpreter(asked: str, requires: str, snapshot: Snapshot, available: Mapping[str, str]) -> Interpreter:
    """Choose among ``available`` (version -> program): the configured one, else the newest one named."""
    if asked:
        short = ".".join(asked.split(".")[:2])
        if short in available:
            return Interpreter(version=short, path=available[short], said=f"{CONFIGURED} asks {asked}")
    fitting = [version for version in available if _allows(requires, version)] or list(available)
    named = [version for version in fitting if version in _named(snapshot)]
    above = max(_named(snapshot), key=order, default="0")
    later = [version for version in fitting if order(version) > order(above)]
    version = max(named, key=order) if named else min(later or fitting, key=order)
    told = f"{CONFIGURED} asks {asked}, which is not here: " if asked else ""
    why = (
        "named by the project"
        if named
        else f"the project names {'none' if above == '0' else 'up to ' + above}"
    )
    return Interpreter(version=version, path=available[version], said=f"{told}Python {version}, {why}")


def _named(snapshot: Snapshot) -> frozenset[str]:
    text = "\n".join(snapshot.text(name) for name in ("pyproject.toml", "setup.cfg", "setup.py"))
    versions = re.findall(r"Programming Language :: Python :: (3\.\d+)", text)
    versions += [f"3.{minor}" for minor in re.findall(r"\bpy3(\d{1,2})\b", snapshot.text("tox.ini"))]
    return frozenset(versions) | frozenset(
        re.findall(r"^3\.\d+", snapshot.text(".python-version"), re.MULTILINE)
    )


def order(version: str) -> tuple[int, ...]:
    """Return a version as numbers, for comparing."""
    return tuple(int(part) for part in version.split("."))


def _allows(requires: str, version: str) -> bool:
    try:
        return SpecifierSet(pep440(requires)).contains(f"{version}.99") if requires else True
    except InvalidSpecifier:
        return True


def package_limit(newest: date | None, today: date, version: str) -> str:
    """Return the day up to which packages may be taken: an old project meets those of its time.

    The newest file tells the project's day: release archives and exported commits keep it, a fresh clone does
    not and gets no limit.
    """
    if newest is None or today - newest <= OLD:
        return ""
    return max(newest + SLACK, RELEASED.get(version, date.min) + WHEELS).isoformat()
