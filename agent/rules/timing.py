"""Timing: secrets compared character by character tell how much of a guess is right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import Edit, replace
from agent.syntax.imports import javascript_module, python_module
from agent.syntax.nodes import line_of, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_SECRET: Final = re.compile(
    r"(?:^|_|\b)(?:digest|signature|sig|hmac|mac|token|secret|passw(?:or)?d|hash|api_?key|otp|checksum|csrf\w*)(?:$|_|\b)",
    re.IGNORECASE,
)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OPERANDS: Final = frozenset(
    {"identifier", "attribute", "member_expression", "call", "call_expression", "subscript"}
)
_REASON: Final = "the comparison ends at the first difference, so its time tells how much of a guess is right"


def _is_secret(node: SgNode) -> bool:
    """Whether the last name of an operand says that it holds a secret."""
    text = re.sub(r"\(.*\)$", "", node.text(), flags=re.DOTALL)
    names = re.split(r"[.\[\]'\"]+", text)
    if names[-1] == "length":
        return False
    return node.kind() in _OPERANDS and any(
        _SECRET.search(_CAMEL.sub("_", name)) for name in names[-2:] if name
    )


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield ``==`` and ``!=`` between two values of which one is a secret."""
    for node in walk(source.root):
        operands = node.named_children() if node.kind() == "comparison_operator" else []
        operators = [child.text() for child in node.children() if not child.is_named()] if operands else []
        if len(operands) != 2 or operators not in (["=="], ["!="]):  # noqa: PLR2004 - two sides
            continue
        if not all(side.kind() in _OPERANDS for side in operands) or not any(map(_is_secret, operands)):
            continue
        module, needed = python_module(source, "hmac")
        left, right = (side.text() for side in operands)
        text = f"{module}.compare_digest({left}, {right})"
        negated = f"not {text}" if operators == ["!="] else text
        yield _fix(node, (replace(node, negated), *needed))


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield equality between two values of which one is a secret; lengths are compared first."""
    for node in walk(source.root):
        operator = node.field("operator") if node.kind() == "binary_expression" else None
        left, right = node.field("left"), node.field("right")
        if operator is None or left is None or right is None or operator.text().strip("=!") != "":
            continue
        if {left.kind(), right.kind()} - _OPERANDS or not (_is_secret(left) or _is_secret(right)):
            continue
        if {left.text(), right.text()} & {"undefined"} or not _simple(left, right):
            continue
        module, needed = javascript_module(source, "crypto")
        one, other = (f"Buffer.from(String({side.text()}))" for side in (left, right))
        text = f"({one}.length === {other}.length && {module}.timingSafeEqual({one}, {other}))"
        yield _fix(node, (replace(node, f"!{text}" if "!" in operator.text() else text), *needed))


def _simple(*sides: SgNode) -> bool:
    """Whether both sides may be written twice: they compute nothing."""
    return all(side.kind() in {"identifier", "member_expression"} for side in sides)


def _fix(node: SgNode, edits: tuple[Edit, ...]) -> Fix:
    return Fix(line=line_of(node), symbol=symbol_of(node), edits=edits, reason=_REASON)


RULE = WeaknessRule(
    name="timing",
    cwes=frozenset({"CWE-208", "CWE-203", "CWE-385"}),
    words=re.compile(r"timing (?:attack|side|unsafe|leak)|constant[\s-]time|side[\s-]channel", re.IGNORECASE),
    detectors={"python": _python, "javascript": _javascript},
    summary="Compare secrets in constant time",
    definitive=True,
    shared=frozenset({"CWE-203", "CWE-385"}),
)
