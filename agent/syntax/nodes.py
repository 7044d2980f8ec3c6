"""Questions about syntax nodes that several rules ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

FUNCTIONS: Final = frozenset({
    "function_definition", "lambda", "function_declaration", "function_expression", "function",
    "arrow_function", "method_definition", "generator_function_declaration", "generator_function",
})  # fmt: skip
STATEMENTS: Final = frozenset({
    "expression_statement", "variable_declaration", "lexical_declaration", "return_statement", "if_statement",
    "for_statement", "for_in_statement", "while_statement", "do_statement", "throw_statement", "try_statement",
    "with_statement", "raise_statement", "assert_statement", "switch_statement", "delete_statement",
})  # fmt: skip
BLOCKS: Final = frozenset({"block", "statement_block", "program", "module", "switch_case"})


def walk(node: SgNode) -> Iterator[SgNode]:
    """Yield the node and everything below it, in source order."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(here.children()))


def line_of(node: SgNode) -> int:
    """Return the line a node begins on, from 1."""
    return node.range().start.line + 1


def ancestor(node: SgNode, kinds: frozenset[str]) -> SgNode | None:
    """Return the nearest node around ``node`` of one of the kinds."""
    return next((above for above in node.ancestors() if above.kind() in kinds), None)


def statement_of(node: SgNode) -> SgNode | None:
    """Return the statement around ``node`` with lines of its own, directly in a block of the same function.

    Lines can go before or after it; there is none inside a lambda or an arrow function without a block, nor
    where several statements share a line.
    """
    for here in (node, *node.ancestors()):
        parent = here.parent()
        if here.kind() in FUNCTIONS:
            return None
        if parent is not None and parent.kind() in BLOCKS and here.kind() in STATEMENTS:
            return here if _stands_alone(here, parent) else None
    return None


def _stands_alone(statement: SgNode, block: SgNode) -> bool:
    """Whether nothing but a comment shares the lines of a statement."""
    before = statement.prev() or (block.prev() if block.kind() == "block" else None)
    after = statement.next()
    first, last = statement.range().start.line, statement.range().end.line
    shared = [before is not None and before.kind() != "comment" and before.range().end.line == first]
    shared.append(after is not None and after.kind() != "comment" and after.range().start.line == last)
    return not any(shared)


def function_of(node: SgNode) -> SgNode | None:
    """Return the innermost function around ``node``."""
    return ancestor(node, FUNCTIONS)


def symbol_of(node: SgNode) -> str:
    """Return the name of the innermost named definition around ``node``, or an empty string."""
    for above in node.ancestors():
        name = name_of(above)
        if name:
            return name
    return ""


def name_of(function: SgNode) -> str:
    """Return the name a function or class is known by: its own, or what it is assigned to."""
    own = function.field("name")
    if own is not None and function.kind() != "keyword_argument":
        return own.text() if function.kind() in FUNCTIONS or "class" in function.kind() else ""
    if function.kind() not in FUNCTIONS:
        return ""
    parent = function.parent()
    if parent is None:
        return ""
    target = parent.field("name") or parent.field("left") or parent.field("key")
    return target.text().rsplit(".", 1)[-1] if target is not None else ""


def inner(function: SgNode) -> Iterator[SgNode]:
    """Yield the nodes of a function's own body, not those of functions inside it."""
    stack = list(reversed(function.children()))
    while stack:
        here = stack.pop()
        yield here
        if here.kind() not in FUNCTIONS:
            stack.extend(reversed(here.children()))


def arguments(call: SgNode) -> list[SgNode]:
    """Return the arguments of a call, comments left out."""
    holder = call.field("arguments")
    if holder is None:
        return []
    return [child for child in holder.children() if child.is_named() and child.kind() != "comment"]


def positional(call: SgNode) -> list[SgNode]:
    """Return the positional arguments of a Python call."""
    return [node for node in arguments(call) if node.kind() != "keyword_argument"]


def keyword(call: SgNode, name: str) -> SgNode | None:
    """Return the keyword argument node ``name=...`` of a Python call."""
    for node in arguments(call):
        key = node.field("name") if node.kind() == "keyword_argument" else None
        if key is not None and key.text() == name:
            return node
    return None


def callee(call: SgNode) -> str:
    """Return the text of what is called, white space removed."""
    target = call.field("function") or call.field("constructor")
    return "".join(target.text().split()) if target is not None else ""


def identifiers(node: SgNode) -> frozenset[str]:
    """Return every plain identifier at or below ``node``."""
    return frozenset(here.text() for here in walk(node) if here.kind() == "identifier")


def is_constant(node: SgNode) -> bool:
    """Whether an expression is made of literals alone."""
    variable = {"identifier", "call", "call_expression", "member_expression", "attribute", "subscript",
                "subscript_expression", "this", "await", "yield"}  # fmt: skip
    return not any(here.kind() in variable for here in walk(node))
