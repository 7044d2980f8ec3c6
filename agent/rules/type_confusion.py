"""Checks of property names in JavaScript that a value of another type slips past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.rules.guards import MAGIC, iteration_of
from agent.rules.merges import listed_keys
from agent.rules.weakness import Fix
from agent.syntax.edits import replace
from agent.syntax.nodes import line_of, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent.syntax.source import Source


def confusable_checks(source: Source) -> Iterator[Fix]:
    """Yield strict comparisons with a magic name that an array such as ``['__proto__']`` slips past."""
    for node in walk(source.root):
        operator = node.field("operator") if node.kind() == "binary_expression" else None
        left, right = node.field("left"), node.field("right")
        if operator is None or operator.text() not in {"===", "!=="} or left is None or right is None:
            continue
        key, name = (left, right) if right.kind() == "string" else (right, left)
        if name.text()[1:-1] not in MAGIC or key.kind() not in {"identifier", "subscript_expression"}:
            continue
        iteration = iteration_of(node)
        if iteration is not None and key.text() in listed_keys(iteration):
            continue
        yield Fix(
            line=line_of(node),
            symbol=symbol_of(node),
            edits=(replace(key, f"String({key.text()})"),),
            reason=f"`{key.text()}` may be no string, and then equals no name although it is used as one",
            form="coerce",
        )
