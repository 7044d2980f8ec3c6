"""Builders of what rules are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.domain.patch import Candidate, Declined, SourceFile
from agent.domain.report import Report
from agent.rules.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent.ports import Rule


def build_report(*cwes: str, title: str = "A flaw", body: str = "") -> Report:
    return Report(id="R-1", title=title, body=body, cwes=cwes)


def build_file(text: str | bytes, path: str = "module.py") -> SourceFile:
    return SourceFile(path=path, content=text.encode() if isinstance(text, str) else text)


def rule_named(name: str) -> Rule:
    return next(rule for rule in RULES if rule.name == name)


def applied(name: str, *files: SourceFile) -> tuple[Candidate | Declined, ...]:
    """Return what the rule proposes for a report of exactly its weakness."""
    rule = rule_named(name)
    return rule.propose(build_report(min(rule.cwes)), files)


def texts(items: Iterable[Candidate | Declined], path: str = "module.py") -> tuple[str, ...]:
    """Return the new text of ``path`` in each candidate."""
    found = []
    for item in items:
        if isinstance(item, Candidate):
            content = item.changes[path]
            assert content is not None
            found.append(content.decode())
    return tuple(found)
