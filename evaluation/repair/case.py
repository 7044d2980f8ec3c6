"""One case as the bench works with it: the facts of a vulnerability, its report and its proof. Types only."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date


class Language(StrEnum):
    """Languages of which the bench can run projects."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"


class Size(StrEnum):
    """How large the upstream fix is, by its added and removed lines: up to 5, up to 25, more."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


SMALL_LINES, MEDIUM_LINES = 5, 25


@dataclass(frozen=True, slots=True, kw_only=True)
class FixSize:
    """Size of the upstream fix without its tests."""

    files: int
    hunks: int
    lines_added: int
    lines_removed: int

    @property
    def size(self) -> Size:
        """Return the class of the size."""
        lines = self.lines_added + self.lines_removed
        return Size.SMALL if lines <= SMALL_LINES else Size.MEDIUM if lines <= MEDIUM_LINES else Size.LARGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """A correction of a case: the changed fields by name and why; shown wherever the case is."""

    reason: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A vulnerability with everything that is needed to pose it and to judge an answer.

    ``vulnerable_commit`` and ``fix_commit`` are ids in the repository ``repo`` (``owner/name``). The commands are
    shell lines run at the root of the tree; times in seconds. ``proof`` exits 0 on vulnerable behaviour, 1 on safe
    behaviour, otherwise inconclusive. ``contract`` holds names that only the developer's tests pin: it is ground
    truth unless a run is meant to have it. ``image`` is set where the case runs in a container only.
    """

    id: str
    title: str
    cwe: str
    repo: str
    vulnerable_commit: str
    fix_commit: str
    fix_date: date
    language: Language
    fixed_files: tuple[str, ...]
    test_files: tuple[str, ...]
    size: FixSize
    regression_test: str
    developer_test: str
    advisory: str
    proof_name: str
    proof: str
    contract: str = ""
    aliases: tuple[str, ...] = ()
    python: str = ""
    node: str = ""
    packages: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    regression_seconds: float = 1800.0
    developer_seconds: float = 900.0
    known_failures: tuple[str, ...] = ()
    difficulty: str = ""
    image: str = ""
    amendments: tuple[Amendment, ...] = ()

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Return the ids under which the flaw is known."""
        return (self.id, *self.aliases)
