"""Objects used as maps keyed by input: they must not inherit from ``Object.prototype``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.rules.guards import is_dynamic
from agent.rules.weakness import Fix, Refusal
from agent.syntax.edits import replace
from agent.syntax.nodes import line_of, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source


def map_fixes(source: Source) -> Iterator[Fix | Refusal]:
    """Yield one fix for each map that is written two levels deep under computed names."""
    assigned = [pair for node in walk(source.root) if (pair := _assigned(node)) is not None]
    roots = {chain[0] for target, _ in assigned if len(chain := _chain(target)) > 2}  # noqa: PLR2004 - root and two names
    for root in sorted(roots):
        empty = [
            (target, value) for target, value in assigned if _chain(target)[:1] == [root] and _is_empty(value)
        ]
        if not any(len(_chain(target)) == 1 for target, _ in empty):
            continue
        used = next((node for node in walk(source.root) if _inherits(node, root)), None)
        if used is not None:
            yield Refusal(
                line=line_of(used),
                reason=f"`{root}` relies on an inherited method, so it cannot lose its prototype",
            )
            continue
        yield Fix(
            line=line_of(empty[0][0]),
            symbol=symbol_of(empty[0][0]),
            edits=tuple(replace(value, "Object.create(null)") for _, value in empty),
            reason=f"`{root}` is keyed by outside names, and __proto__ as the first of them reaches Object.prototype",
            form="map",
        )


def _assigned(node: SgNode) -> tuple[SgNode, SgNode] | None:
    if node.kind() == "assignment_expression":
        left, right = node.field("left"), node.field("right")
    elif node.kind() == "variable_declarator":
        left, right = node.field("name"), node.field("value")
    else:
        return None
    return (left, right) if left is not None and right is not None else None


def _chain(target: SgNode) -> list[str]:
    """Return the root and the computed names of ``root[a][b]``, or an empty list for another shape."""
    names: list[str] = []
    node = target
    while node.kind() == "subscript_expression":
        inside, index = node.field("object"), node.field("index")
        if inside is None or index is None or not is_dynamic(node):
            return []
        names.append(index.text())
        node = inside
    return [node.text(), *reversed(names)] if node.kind() in {"identifier", "member_expression"} else []


def _is_empty(value: SgNode) -> bool:
    return value.kind() == "object" and not value.named_children()


def _inherits(node: SgNode, root: str) -> bool:
    if node.kind() != "member_expression":
        return False
    target, name = node.field("object"), node.field("property")
    inherited = {"hasOwnProperty", "propertyIsEnumerable", "toString", "valueOf", "isPrototypeOf"}
    if target is None or name is None or name.text() not in inherited:
        return False
    return (_chain(target) or [target.text()])[0] == root
