"""A patch that takes the feature away instead of the flaw: every function that the fix touches refuses. Pure.

It closes any hole and must fail a sound oracle. Programs are read with tree-sitter, as they may be of any age.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import tree_sitter_javascript
import tree_sitter_python
from tree_sitter import Language as Grammar
from tree_sitter import Parser

from evaluation.repair.case import Language

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tree_sitter import Node

BODIES = {
    Language.PYTHON: (frozenset({"function_definition"}), b'raise NotImplementedError("removed")'),
    Language.JAVASCRIPT: (
        frozenset(
            {
                *("function_declaration", "function_expression", "function", "method_definition"),
                *("arrow_function", "generator_function_declaration", "generator_function"),
            }
        ),
        b'{ throw new Error("removed"); }',
    ),
}


def without_feature(
    before: Mapping[str, bytes], after: Mapping[str, bytes | None], language: Language
) -> dict[str, bytes | None]:
    """Return the files of ``before`` with each function refusing that the fix changes.

    The innermost function around a changed line is meant. Where the fix changes no function at all, its files
    are emptied. ``after`` holds the fixed versions.
    """
    changed = {path: content for path, content in before.items() if path in after and after[path] != content}
    found: dict[str, bytes | None] = {}
    for path, content in changed.items():
        refusing = _refusing(content, after[path] or b"", language)
        if refusing != content:
            found[path] = refusing
    return found or dict.fromkeys(changed, b"")


def _refusing(before: bytes, after: bytes, language: Language) -> bytes:
    kinds, refusal = BODIES[language]
    functions = list(_functions(_parser(language).parse(before).root_node, kinds))
    spans = set()
    for row in _changed_rows(before, after):
        around = [one for one in functions if one.start_point[0] <= row <= one.end_point[0]]
        inner = min(around, key=lambda one: one.end_byte - one.start_byte, default=None)
        body = inner.child_by_field_name("body") if inner else None
        if body is not None:
            spans.add((body.start_byte, body.end_byte))
    text, end = b"", 0
    for start, stop in sorted(spans):
        if start >= end:
            text += before[end:start] + refusal
            end = stop
    return text + before[end:]


def _changed_rows(before: bytes, after: bytes) -> list[int]:
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        row
        for kind, low, high, _, _ in matcher.get_opcodes()
        if kind != "equal"
        for row in range(low, max(high, low + 1))
    ]


def _functions(node: Node, kinds: frozenset[str]) -> Iterator[Node]:
    stack = [node]
    while stack:
        current = stack.pop()
        if current.is_named and current.type in kinds:
            yield current
        stack.extend(current.children)


def _parser(language: Language) -> Parser:
    grammar = {
        Language.PYTHON: tree_sitter_python.language,
        Language.JAVASCRIPT: tree_sitter_javascript.language,
    }[language]
    return Parser(Grammar(grammar()))
