"""Versions out of the names that projects give their tags. Pure.

Tag names follow no rule: ``v1.2``, ``release-1.2``, ``pkg@1.2``, ``1_2_FINAL``, ``lxml-2.0alpha1``, ``rel_0_9``,
``2-8-7``. A name is read as *label, numbers, phase*; a name with anything else in it is no version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import total_ordering


class Phase(IntEnum):
    """Where a version stands in the life of its release."""

    DEVELOPMENT = -4
    ALPHA = -3
    BETA = -2
    CANDIDATE = -1
    FINAL = 0
    POST = 1


@total_ordering
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Version:
    """A version: its numbers, its phase and the phase's number. ``1.2`` equals ``1.2.0``."""

    numbers: tuple[int, ...]
    phase: Phase = Phase.FINAL
    serial: int = 0

    @property
    def key(self) -> tuple[tuple[int, ...], Phase, int]:
        """Return what versions are compared by."""
        end = len(self.numbers)
        while end > 1 and self.numbers[end - 1] == 0:
            end -= 1
        return self.numbers[:end], self.phase, self.serial

    @property
    def released(self) -> bool:
        """Say whether this is a release, not a step towards one."""
        return self.phase >= Phase.FINAL

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.key == other.key

    def __lt__(self, other: Version) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        numbers = ".".join(map(str, self.numbers))
        return numbers if self.phase is Phase.FINAL else f"{numbers}{_WRITTEN[self.phase]}{self.serial}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TagVersion:
    """What a tag's name says: the version, and the label before it (a package's name, ``release`` or nothing)."""

    label: str
    version: Version


_WRITTEN = {
    Phase.DEVELOPMENT: ".dev",
    Phase.ALPHA: "a",
    Phase.BETA: "b",
    Phase.CANDIDATE: "rc",
    Phase.POST: ".post",
}
_PHASES = {
    Phase.DEVELOPMENT: ("dev", "develop", "snapshot", "nightly", "canary"),
    Phase.ALPHA: ("a", "alpha"),
    Phase.BETA: ("b", "beta"),
    Phase.CANDIDATE: ("c", "rc", "cr", "pre", "preview", "candidate", "m", "milestone", "next"),
    Phase.FINAL: ("final", "ga", "release", "stable", "rel"),
    Phase.POST: ("post", "p", "pl", "patch", "sp", "rev", "hotfix"),
}
_PHASE_OF = {word: phase for phase, words in _PHASES.items() for word in words}
_WORDS = "|".join(sorted(_PHASE_OF, key=len, reverse=True))
_TAIL = re.compile(
    rf"""
    (?<!\d)(?<!\d\.)(?P<numbers>\d+(?:(?P<dot>[._-])\d+(?:(?P=dot)\d+)*)?)
    (?:-(?P<revision>\d+))?                                          # 1.2.3-1, a distribution's way
    (?P<letter>[d-z])?                                               # 1.1.1w, OpenSSL's way
    (?:[-_. ]?(?P<word>{_WORDS})[-_. ]?(?P<serial>\d*))?
    (?:[-_. ]?dev[-_. ]?\d*)?                            # 1.0a1.dev3
    (?:\+[0-9a-z.-]+)?                                               # build metadata
    $""",
    re.VERBOSE,
)
_NO_LABEL = re.compile(
    r"(?:^|(?<=[-_./@ ]))(?:(?:v|ver|version|versions|r|rel|release|releases|tag|tags)[-_./@ ]*)*$"
)
_LONGEST_NAME = 200
_LONGEST_NUMBER = 9


def version_of(text: str) -> Version | None:
    """Return the version a tag's name or an advisory's field says, or None when it says none."""
    found = tag_version(text)
    return found.version if found else None


def tag_version(name: str) -> TagVersion | None:
    """Return label and version of a tag's name, or None when it names no version."""
    name = name.strip().lower().removeprefix("refs/tags/")
    match = _TAIL.search(name) if len(name) <= _LONGEST_NAME else None
    if match is None:
        return None
    numbers = re.split(r"[._-]", match["numbers"])
    label, plain = _label(name[: match.start()])
    if (len(numbers) == 1 and not plain) or max(map(len, numbers)) > _LONGEST_NUMBER:
        return None
    version = Version(numbers=tuple(map(int, numbers)), phase=_phase(match), serial=_serial(match))
    return TagVersion(label=label, version=version)


def _label(before: str) -> tuple[str, bool]:
    """Return what stands before the numbers without words that only say "version", and whether that is all.

    A lone number is a version only behind such a word or nothing, or behind ``@``: ``dec-11`` is none.
    """
    marker = _NO_LABEL.search(before)
    label = (before[: marker.start()] if marker else before).strip("-_./@ ")
    return label, not before or before.endswith("@") or (marker is not None and not label and before != "r")


def _phase(match: re.Match[str]) -> Phase:
    if match["word"]:
        return _PHASE_OF[match["word"]]
    return Phase.POST if match["revision"] or match["letter"] else Phase.FINAL


def _serial(match: re.Match[str]) -> int:
    if match["word"]:
        return int(match["serial"][:_LONGEST_NUMBER] or 0)
    if match["letter"]:
        return ord(match["letter"]) - ord("a") + 1
    return int((match["revision"] or "0")[:_LONGEST_NUMBER])
