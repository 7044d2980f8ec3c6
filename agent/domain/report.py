"""The report: what came in, normalised."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date


class Visibility(StrEnum):
    """Who may learn of a report; a private one leaves no public trace."""

    PUBLIC = "public"
    PRIVATE = "private"


class Severity(StrEnum):
    """Severity as advisories name it."""

    CRITICAL = "critical"
    HIGH = "high"
    MODERATE = "moderate"
    LOW = "low"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A code block of the report; ``language`` is normalised (``python``, ``javascript``, ...) or empty."""

    language: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A security report. ``cwes`` are written ``CWE-22``; ``notices`` say what cleaning removed."""

    id: str
    title: str
    body: str
    aliases: tuple[str, ...] = ()
    cwes: tuple[str, ...] = ()
    severity: Severity = Severity.UNKNOWN
    visibility: Visibility = Visibility.PUBLIC
    affected: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    published: date | None = None
    references: tuple[str, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    notices: tuple[str, ...] = ()
