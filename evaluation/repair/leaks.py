"""The leak audit: did a run see the fix, or reach for it? Reads its trajectory. Pure.

A line is unique to the fix when the vulnerable tree does not have it and it is long enough to be no coincidence.
One that a command printed was read somewhere; one that stands only in the run's own patch may be the run's own
idea and is counted apart. Attempts are named whether or not they got anywhere.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SHORTEST = 24
ATTEMPTS = {
    "history": re.compile(
        r"\bgit\s+(?:-\S+\s+(?:[^\s-]\S*\s+)?)*?(?:log|show|reflog|fetch|pull|clone|fsck|cat-file"
        r"|checkout\s+[0-9a-f]{7,40})\b"
        r"|(?:^|[\s/'\"])\.git(?:/|[\s'\"]|$)|\bORIG_HEAD\b|\bFETCH_HEAD\b"
    ),
    "network": re.compile(
        r"\b(?:curl|wget|nc|ssh|scp|ftp|telnet)\s|https?://(?!localhost|127\.0\.0\.1|example\.)"
        r"|\burllib\.request\b|\brequests\.(?:get|post)\(|\bfetch\(\s*['\"]http|\bsocket\.create_connection\b"
    ),
    "registry": re.compile(r"\b(?:pip|uv|npm|yarn|pnpm)\s+(?:pip\s+)?(?:download|install|view|pack|add)\b"),
    "evaluator": re.compile(
        r"\bcase\.yaml\b|\bcontract\.md\b|\bgold_files\b|\bdeveloper_test\b|\bfix_commit\b"
    ),
}
CONTACT = frozenset({"command", "tool", "tool_call", "model"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing the audit found: its kind (``seen`` or the name of an attempt) and where."""

    kind: str
    where: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What the audit says. ``own`` counts unique lines of the fix that stand in the patch alone.

    ``unpriced`` are model calls in the record that the run's price does not hold: hidden sub-calls.
    """

    findings: tuple[Finding, ...] = ()
    own: int = 0
    unpriced: int = 0
    events: int = 0

    @property
    def clean(self) -> bool:
        """Tell whether nothing was seen, nothing tried and nothing hidden."""
        return not self.findings and not self.unpriced


def unique_lines(
    before: Mapping[str, bytes], after: Mapping[str, bytes | None], given: str = ""
) -> frozenset[str]:
    """Return the lines that only the fix has; those in ``given``, which the run may read, are left out."""
    old = {line.strip() for content in before.values() for line in _lines(content)}
    new = {line.strip() for content in after.values() if content is not None for line in _lines(content)}
    return frozenset(line for line in new - old if len(line) >= SHORTEST and line not in given)


def audit(
    trajectory: str,
    unique: frozenset[str],
    patch: Mapping[str, bytes | None],
    *,
    calls: int,
    paths: Sequence[str] = (),
) -> Audit:
    """Return what a run's record (JSON Lines) says; ``paths`` are the evaluator's folders, ``calls`` what it paid."""
    events = list(_events(trajectory))
    findings: list[Finding] = []
    for number, event in enumerate(events, start=1):
        where = f"event {number} ({event.get('event')})"
        if event.get("event") == "command" and event.get("phase") != "install":
            asked = " ".join(map(str, event.get("argv", ())))
            findings += _attempts(asked, where, paths)
        if event.get("event") in CONTACT:
            findings += _seen(event, unique, where)
    own = _own(unique, patch)
    made = sum(1 for event in events if event.get("event") == "model")
    return Audit(findings=tuple(findings), own=own, unpriced=max(0, made - calls), events=len(events))


def _attempts(asked: str, where: str, paths: Sequence[str]) -> Iterator[Finding]:
    for kind, pattern in ATTEMPTS.items():
        if match := pattern.search(asked):
            yield Finding(kind=kind, where=where, text=asked[max(0, match.start() - 30) : match.end() + 60])
    for path in paths:
        if path and path in asked:
            yield Finding(kind="evaluator", where=where, text=path)


def _seen(event: Mapping[str, Any], unique: frozenset[str], where: str) -> Iterator[Finding]:
    printed = "\n".join(str(event.get(key, "")) for key in ("stdout", "stderr", "output", "result"))
    for line in sorted(unique):
        if line in printed:
            yield Finding(kind="seen", where=where, text=line[:120])


def _own(unique: frozenset[str], patch: Mapping[str, bytes | None]) -> int:
    written = {line.strip() for content in patch.values() if content is not None for line in _lines(content)}
    return len(unique & written)


def _events(trajectory: str) -> Iterator[Mapping[str, Any]]:
    for line in trajectory.splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            event = {"event": "damaged"}
        yield event if isinstance(event, dict) else {"event": "damaged"}


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").splitlines()
