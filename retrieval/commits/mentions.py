"""What a text points at by name: issues, advisories, files, commits and versions. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ISSUE = re.compile(
    r"(?:/(?:pull|issues?|merge_requests|ticket|bugs?)/|#|\bgh-|\bPR[ -]?#?|\bissue[ -]#?|\bbug[ -]#?"
    r"|\bticket[ :/]#?|\bLP: ?#?|\bid=)(\d{1,7})\b",
    re.IGNORECASE,
)
_ADVISORY = re.compile(r"\b(CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3}|PYSEC-\d{4}-\d+)\b", re.IGNORECASE)
_FILE = re.compile(
    r"\b([\w./-]+\.(?:py|js|ts|c|h|cpp|cc|pyx|pxi|go|rs|java|rb|php|html|tsx|jsx|mjs|cgi|l|y))\b"
)
_DOTTED = re.compile(r"\b(?:[a-z_]\w*\.)+[a-z_]\w*\b")
_CITATION = re.compile(
    r"(?:cherry.picked from commit |\[PR #\d+/|backport[^\n]{0,120}?)\b([0-9a-f]{7,64})\b", re.IGNORECASE
)
_COMMIT = re.compile(r"\bcommits?[ :/]*(?:id |hash |sha )?`?([0-9a-f]{7,64})\b", re.IGNORECASE)
_COMMIT_LINK = re.compile(r"/commits?/([0-9a-f]{7,64})\b", re.IGNORECASE)

_NUMBER = r"v?(\d+(?:\.\d+)+(?:[-_.]?(?:a|b|rc|alpha|beta|dev|post)[-_.]?\d*)?)"
_FIXED = re.compile(
    r"(?:before|prior to|(?:fixed|patched|addressed|resolved|released|included|available|introduced|fix) in"
    r"|(?:patched|fixed) with|(?:upgrade|update|upgrading) to|(?:earlier|lower|less|older) than|<(?=[\sv\d]))\s*"
    r"(?:the\s+)?(?:release\s+)?(?:versions?\s+)?(?:[A-Z]\w+\s+)?" + _NUMBER,
    re.IGNORECASE,
)
_LAST = re.compile(
    r"(?:through|up to(?: and including)?|<=|until)\s*(?:versions?\s+)?" + _NUMBER
    + "|" + _NUMBER + r"\s+(?:and|or)\s+(?:earlier|below|older|prior|lower|previous)"
    "|versions?\\s+" + _NUMBER + r"\s+(?:has|is|are|contains|allows)",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionMentions:
    """Versions a text names: the first fixed ones, and the last ones said to be affected."""

    fixed: tuple[str, ...]
    last_affected: tuple[str, ...]


def issue_numbers(text: str) -> frozenset[str]:
    """Return the numbers of issues and pull requests a text names, without knowing of which repository."""
    return frozenset(_ISSUE.findall(text))


def advisory_ids(text: str) -> frozenset[str]:
    """Return the CVE, GHSA and PYSEC ids in a text, in lower case."""
    return frozenset(found.lower() for found in _ADVISORY.findall(text))


def file_names(text: str) -> frozenset[str]:
    """Return the names, without folders, of the source files a text names."""
    return frozenset(found.rsplit("/", 1)[-1].lower() for found in _FILE.findall(text))


def module_names(text: str) -> frozenset[str]:
    """Return the last parts of dotted names such as ``aiohttp.web_protocol``."""
    return frozenset(found.rsplit(".", 1)[-1].lower() for found in _DOTTED.findall(text))


def cited_commits(message: str) -> frozenset[str]:
    """Return the commits that a message says it was picked or ported from, possibly shortened."""
    return frozenset(found.lower() for found in _CITATION.findall(message))


def named_commits(text: str) -> tuple[str, ...]:
    """Return the commits a text names outright (``commit d5c12ba89``), possibly shortened, in order."""
    return tuple(dict.fromkeys(found.lower() for found in _COMMIT.findall(text)))


def linked_commit(link: str) -> str | None:
    """Return the commit a link leads to, or None."""
    found = _COMMIT_LINK.search(link)
    return found.group(1).lower() if found else None


def version_mentions(text: str) -> VersionMentions:
    """Return the versions a text calls fixed (``before 4.0.5``) and last affected (``through 5.1.0``)."""
    last = [next(filter(None, found)) for found in _LAST.findall(text)]
    return VersionMentions(
        fixed=tuple(dict.fromkeys(_FIXED.findall(text))), last_affected=tuple(dict.fromkeys(last))
    )
