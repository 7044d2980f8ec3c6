"""Normalise incoming text: what a reader cannot see must not reach a model, a terminal or a prompt.

Hidden text is the usual vehicle of planted instructions (HTML comments, zero-width and tag characters), and
bidirectional controls make code read differently from what it does (Trojan Source, CVE-2021-42574).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.untrusted.markdown import code_line_ranges

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0]"
)
_TAGS = re.compile("[\U000e0000-\U000e0fff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)

HIDDEN = re.compile(
    "|".join(pattern.pattern for pattern in (_CONTROLS, _BIDI, _TAGS, _INVISIBLE, _SURROGATES))
)
"""Single characters that act on a terminal, or that a reader does not see."""

_REMOVALS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_ESCAPES, "terminal escape sequences"),
    (_CONTROLS, "control characters"),
    (_BIDI, "bidirectional controls"),
    (_TAGS, "tag characters"),
    (_INVISIBLE, "invisible characters"),
    (_SURROGATES, "halves of characters"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """The text that is left, and one line for each kind of thing that was removed."""

    text: str
    notices: tuple[str, ...] = ()


def clean(text: str) -> Cleaned:
    """Return ``text`` without what a reader could not see; code blocks keep their HTML comments."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    notices: list[str] = []
    for pattern, name in _REMOVALS:
        text, count = pattern.subn("", text)
        if count:
            notices.append(f"removed {count} {name}")
    text, count = _without_comments(text)
    if count:
        notices.append(f"removed {count} HTML comments")
    return Cleaned(text=text, notices=tuple(notices))


def _without_comments(text: str) -> tuple[str, int]:
    """Remove HTML comments outside code blocks, where GitHub would hide them."""
    if "<!--" not in text:
        return text, 0
    lines = text.split("\n")
    parts: list[str] = []
    removed, start = 0, 0
    for first, last in [*code_line_ranges(text), (len(lines), len(lines))]:
        prose, count = _COMMENTS.subn("", "\n".join(lines[start:first]))
        removed += count
        parts.append(prose)
        if first < last:
            parts.append("\n".join(lines[first:last]))
        start = last
    return "\n".join(parts), removed
