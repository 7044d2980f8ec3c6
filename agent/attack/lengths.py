"""Catastrophic matching: other lengths, beginnings and ends of the text that does not match."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.attack.technique import Form, Technique
from agent.syntax.edits import Edit, replace
from agent.syntax.nodes import arguments, callee, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.attack.program import Program

_LONG: Final = 16


def _counts(program: Program) -> Iterator[tuple[SgNode, SgNode]]:
    """Yield each repetition ``text * n`` or ``text.repeat(n)`` with its number."""
    for node in walk(program.root):
        if node.kind() == "binary_operator":
            left, right, operator = node.field("left"), node.field("right"), node.field("operator")
            if left is not None and right is not None and operator is not None and operator.text() == "*":
                pair = (left, right) if right.kind() == "integer" else (right, left)
                if (
                    pair[0].kind() in {"string", "parenthesized_expression", "identifier"}
                    and pair[1].kind() == "integer"
                ):
                    yield node, pair[1]
        elif node.kind() == "call_expression" and callee(node).endswith(".repeat"):
            handed = arguments(node)
            if handed and handed[0].kind() == "number":
                yield node, handed[0]


def _scaled(numerator: int, denominator: int) -> Form:
    def rewrite(program: Program) -> list[Edit]:
        edits = []
        for _, count in _counts(program):
            value = int(count.text().replace("_", ""), 0)
            if value >= _LONG:
                edits.append(replace(count, str(value * numerator // denominator)))
        return edits

    return Form(name=f"{numerator}/{denominator} of the length", rewrite=rewrite)


def _short(program: Program) -> list[Edit]:
    return [
        replace(count, "2") for _, count in _counts(program) if int(count.text().replace("_", ""), 0) >= _LONG
    ]


def _prefixed(name: str, before: str, after: str) -> Form:
    def rewrite(program: Program) -> list[Edit]:
        edits = []
        for node, count in _counts(program):
            if int(count.text().replace("_", ""), 0) >= _LONG:
                lead = f"'{before}' + " if before else ""
                tail = f" + '{after}'" if after else ""
                edits.append(replace(node, f"({lead}{node.text()}{tail})"))
        return edits

    return Form(name=name, rewrite=rewrite)


TECHNIQUE: Final = Technique(
    name="catastrophic matching",
    cwes=frozenset({"CWE-1333", "CWE-400", "CWE-730", "CWE-407", "CWE-674"}),
    payload=re.compile(r""),
    forms=(
        _scaled(5, 4),
        _scaled(3, 2),
        _scaled(2, 1),
        _prefixed("a text in front", "x", ""),
        _prefixed("a line in front", "\\n", ""),
        _prefixed("a text behind", "", "x"),
    ),
    harmless=(Form(name="a short text", rewrite=_short),),
)
