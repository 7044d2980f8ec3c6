"""Definitions by tree-sitter: the only place that knows the grammars. They are compiled in, nothing is loaded."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

if TYPE_CHECKING:
    from collections.abc import Callable

GRAMMARS: dict[str, Callable[[], object]] = {
    "py": tree_sitter_python.language,
    "pyi": tree_sitter_python.language,
    "js": tree_sitter_javascript.language,
    "jsx": tree_sitter_javascript.language,
    "mjs": tree_sitter_javascript.language,
    "cjs": tree_sitter_javascript.language,
    "ts": tree_sitter_typescript.language_typescript,
    "mts": tree_sitter_typescript.language_typescript,
    "tsx": tree_sitter_typescript.language_tsx,
}
"""File endings and their grammar."""

_CLASSES = frozenset(
    {"class_definition", "class_declaration", "abstract_class_declaration", "interface_declaration"}
)
_FUNCTIONS = frozenset(
    {"function_definition", "function_declaration", "generator_function_declaration", "method_definition"}
)
_ASSIGNED = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "pair": ("key", "value"),
}
_VALUES = frozenset({"function_expression", "arrow_function", "generator_function", "function", "class"})
_PASSED = frozenset(
    {
        "module",
        "program",
        "block",
        "class_body",
        "decorated_definition",
        "if_statement",
        "else_clause",
        "elif_clause",
    }
    | {
        "try_statement",
        "except_clause",
        "finally_clause",
        "with_statement",
        "export_statement",
        "expression_statement",
    }
    | {
        "lexical_declaration",
        "variable_declaration",
        "statement_block",
        "call_expression",
        "arguments",
        "object",
    }
    | {
        "parenthesized_expression",
        "function_expression",
        "arrow_function",
        "return_statement",
        "unary_expression",
    }
    | {"class", "interface_body", "sequence_expression", "internal_module", "for_statement", "catch_clause"}
)

Found = tuple[str, str, int, int]
"""Qualified name, kind, first and last line."""


@lru_cache(maxsize=len(GRAMMARS))
def _parser(ending: str) -> Parser:
    return Parser(Language(GRAMMARS[ending]()))


def parsed_definitions(ending: str, text: str) -> list[Found]:
    """Return the definitions in order: classes with their methods, functions, functions given to a name."""
    found: list[Found] = []
    stack: list[tuple[Node, str]] = [(_parser(ending).parse(text.encode("utf-8", "replace")).root_node, "")]
    while stack:
        node, inside = stack.pop()
        name = _defined(node)
        if name is not None:
            qualified = f"{inside}.{name}" if inside else name
            kind = "class" if node.type in _CLASSES else "function"
            found.append((qualified, kind, node.start_point[0] + 1, node.end_point[0] + 1))
            if kind == "function":
                continue
            inside = qualified
        if name is not None or node.type in _PASSED or node.type in _ASSIGNED:
            stack.extend((child, inside) for child in reversed(node.named_children))
    return found


def _defined(node: Node) -> str | None:
    """Return the name that ``node`` defines, or None."""
    if node.type in _CLASSES or node.type in _FUNCTIONS:
        return _text(node.child_by_field_name("name"))
    if node.type in _ASSIGNED:
        name, value = (node.child_by_field_name(field) for field in _ASSIGNED[node.type])
        if value is not None and value.type in _VALUES:
            return _text(name)
    return None


def _text(node: Node | None) -> str | None:
    return node.text.decode("utf-8", "replace")[:120] if node is not None and node.text else None
