"""Facts that stand in a report's text or fields, normalised."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from agent.domain.report import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CWE = re.compile(r"\bCWE[-_ ]?(\d{1,5})\b", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,5}")
_IDENTIFIER = re.compile(r"\b(CVE-\d{4}-\d{4,7}|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3})\b", re.IGNORECASE)
_LINK = re.compile(r"https?://[^\s<>()\[\]\"'`]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_SEVERITIES = {
    "critical": Severity.CRITICAL,
    "high": Severity.HIGH,
    "medium": Severity.MODERATE,
    "moderate": Severity.MODERATE,
    "low": Severity.LOW,
}


def unique(values: Iterable[str | None]) -> list[str]:
    """Return the non-empty values once each, in their order."""
    return list(dict.fromkeys(value for value in values if value))


def first_line(text: str) -> str:
    """Return the first line with text, without heading marks."""
    for line in text.splitlines():
        if line.strip(" #\t"):
            return line.strip().lstrip("#").strip()
    return ""


def cwes(given: object, text: str) -> tuple[str, ...]:
    """Return weakness ids as ``CWE-22``, those given first, then those the text names."""
    items = given if isinstance(given, (list, tuple)) else [given] if given is not None else []
    numbers = [str(item).upper().removeprefix("CWE").strip("-_ ") for item in items]
    found = [number for number in numbers if _NUMBER.fullmatch(number)] + _CWE.findall(text)
    return tuple(unique(f"CWE-{int(number)}" for number in found))


def severity(value: object) -> Severity:
    """Return the severity a word names, unknown for anything else."""
    return _SEVERITIES.get(str(value or "").strip().lower(), Severity.UNKNOWN)


def severity_of_labels(labels: Sequence[str]) -> Severity:
    """Return the first severity among issue labels such as ``severity: high``."""
    for label in labels:
        found = severity(re.split(r"[\s:/_-]+", label)[-1])
        if found is not Severity.UNKNOWN:
            return found
    return Severity.UNKNOWN


def identifiers(text: str) -> tuple[str, ...]:
    """Return the CVE and GHSA ids of a text."""
    return tuple(unique(_IDENTIFIER.findall(text)))


def links(text: str) -> list[str]:
    """Return the web links of a text, without trailing punctuation."""
    return unique(match.rstrip(".,;:!?") for match in _LINK.findall(text))


def as_date(value: object) -> date | None:
    """Return the day (UTC) of a timestamp, None where it is missing or unreadable."""
    if isinstance(value, datetime):
        try:
            return value.astimezone(UTC).date() if value.tzinfo else value.date()
        except OverflowError:  # the first or last day a calendar can hold, moved past its end
            return None
    return value if isinstance(value, date) else None


def safe_id(value: str) -> str:
    """Return an id that is fit for a file or branch name."""
    return _UNSAFE.sub("-", value).strip("-.")[:80] or "report"
