"""What a patch left of a weakness that is the code itself: findings before and after, at the places concerned."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from agent.rules.weakness import names_in
from agent.syntax.nodes import FUNCTIONS, name_of
from agent.syntax.source import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agent.domain.patch import Finding, SourceFile
    from agent.domain.report import Report
    from agent.ports import Rule
    from agent.syntax.source import Source

    Definitions = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """What a rule found at the places concerned, and what it finds there, or at new places, after the patch."""

    before: tuple[Finding, ...]
    after: tuple[Finding, ...]


def remains(
    rule: Rule, report: Report, proof: str, before: Sequence[SourceFile], after: Sequence[SourceFile]
) -> Remains | None:
    """Return what a patch left of the findings of a definitive rule, None when they do not concern the report.

    ``before`` and ``after`` are the files the patch touches or the proof ran. A finding concerns the report when
    it lies at module level, in a definition that the report or the ``proof`` names, or in one that the patch
    changed or that is used from there, however indirectly: a patch that hides a symptom stands on the way from
    the input to the flaw. A place is its file and definition, so lines may move.
    """
    found = rule.findings(report, before) if rule.definitive else ()
    if not found:
        return None
    names = names_in(report) | frozenset(re.findall(r"[A-Za-z_$][\w$]*", proof)) | {""}
    reached = names | _reached(_definitions(before), _definitions(after))
    concerned = tuple(finding for finding in found if finding.symbol in reached)
    if not concerned:
        return None
    others = {(finding.path, finding.symbol) for finding in found if finding not in concerned}
    left = [item for item in rule.findings(report, after) if (item.path, item.symbol) not in others]
    return Remains(before=concerned, after=tuple(left))


def _reached(before: Definitions, after: Definitions) -> frozenset[str]:
    """Return the definitions the patch changed, added or took away, and every definition used from them."""
    known = set(before.values())
    reached = {
        name
        for name in {*before, *after} - {""}
        if (after.get(name) not in known if name.startswith("<") else before.get(name) != after.get(name))
    }
    frontier = set(reached)
    while frontier:
        used = {word for name in frontier for word in (*before.get(name, ()), *after.get(name, ()))}
        frontier = (used & {*before, *after}) - reached
        reached |= frontier
    return frozenset(reached)


def _definitions(files: Iterable[SourceFile]) -> Definitions:
    """Return the words of each definition by its name, without those of definitions inside it.

    The words of functions without a name stand under ``<number>``, those of module level under an empty name.
    """
    words: defaultdict[str, list[str]] = defaultdict(list)
    numbers = count()
    for file in files:
        source = read(file)
        if source is not None:
            _collect(source, words, numbers)
    return {name: tuple(found) for name, found in words.items()}


def _collect(source: Source, words: defaultdict[str, list[str]], numbers: count[int]) -> None:
    stack = [(source.root, "")]
    while stack:
        node, symbol = stack.pop()
        if node.kind() == "comment":
            continue
        own = name_of(node)
        if own or (not symbol and node.kind() in FUNCTIONS):
            symbol = own or f"<{next(numbers)}>"
        children = node.children()
        if not children:
            words[symbol].append(node.text())
        stack.extend((child, symbol) for child in reversed(children))
