"""Prototype pollution: keys from outside reach ``Object.prototype`` while an object is walked or merged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.rules.guards import (
    Guard,
    base_name,
    is_dynamic,
    iteration_of,
    owner_of,
)
from agent.rules.maps import map_fixes
from agent.rules.merges import merge_guard
from agent.rules.type_confusion import confusable_checks
from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.nodes import (
    FUNCTIONS,
    arguments,
    callee,
    line_of,
    name_of,
    symbol_of,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source


def detect(source: Source) -> Iterator[Fix | Refusal]:
    """Yield the places where an object is walked, merged or keyed by names nobody checked."""
    yield from confusable_checks(source)
    done: set[tuple[int, str]] = set()
    for node in walk(source.root):
        for guard in _guards(node):
            key = (guard.owner.range().start.index, guard.key)
            if key not in done and not _is_guarded(guard.owner):
                done.add(key)
                yield _guard_fix(source, guard)
    yield from map_fixes(source)


def _guards(node: SgNode) -> Iterator[Guard]:
    """Yield what must be checked because of this one node."""
    if node.kind() == "assignment_expression":
        if guard := _walk_guard(node):
            yield guard
        if guard := merge_guard(node):
            yield guard
    elif node.kind() == "call_expression" and (guard := _recursion_guard(node)):
        yield guard


def _is_guarded(owner: SgNode) -> bool:
    """Whether the function already speaks of both ways to the prototype."""
    return "__proto__" in owner.text() and "constructor" in owner.text()


def _walk_guard(step: SgNode) -> Guard | None:
    """Return the guard for ``o = o[key]`` in a loop that ends in a write, or for a reducer that writes."""
    left, right = step.field("left"), step.field("right")
    iteration = iteration_of(step)
    if left is None or right is None or iteration is None:
        return None
    key = _step_key(left, right) or _reducer_key(left, iteration)
    owner = owner_of(step)
    if key is None or owner is None or not _writes(owner):
        return None
    path = _path_array(key, iteration, owner)
    if path is None and _step_key(left, right) is None:
        return None  # a reducer over something else than the names of a path
    return Guard(
        owner=owner,
        site=iteration,
        key=path or key.text(),
        many=path is not None,
        leaves=True,
        target=left.text() if left.kind() == "identifier" else "",
    )


def _step_key(left: SgNode, right: SgNode) -> SgNode | None:
    if left.kind() != "identifier":
        return None
    for node in walk(right):
        if node.kind() == "subscript_expression" and is_dynamic(node):
            target = node.field("object")
            if target is not None and target.text() == left.text():
                return node.field("index")
    return None


def _reducer_key(left: SgNode, iteration: SgNode) -> SgNode | None:
    """Return ``key`` of ``acc[key] = ...`` inside ``path.reduce((acc, key) => ...)``."""
    if iteration.kind() != "call_expression" or not callee(iteration).endswith((".reduce", ".reduceRight")):
        return None
    callback = next((node for node in arguments(iteration) if node.kind() in FUNCTIONS), None)
    parameters = callback.field("parameters") if callback is not None else None
    names = [node.text() for node in parameters.named_children()] if parameters is not None else []
    target, index = left.field("object"), left.field("index")
    if left.kind() == "subscript_expression" and target is not None and index is not None:
        return index if names[:2] == [target.text(), index.text()] else None
    return None


def _writes(owner: SgNode) -> bool:
    """Whether the function writes a property whose name is computed."""
    for node in walk(owner):
        left = node.field("left") if node.kind() == "assignment_expression" else None
        if left is not None and left.kind() == "subscript_expression" and is_dynamic(left):
            return True
    return False


def _path_array(key: SgNode, iteration: SgNode, owner: SgNode) -> str | None:
    """Return the variable that holds all keys of the path, when there is one."""
    if key.kind() == "subscript_expression":
        target = key.field("object")
        return target.text() if target is not None and target.kind() == "identifier" else None
    if iteration.kind() == "call_expression":
        return base_name(iteration)
    right = iteration.field("right")
    left = iteration.field("left")
    if iteration.kind() == "for_in_statement" and right is not None and left is not None:
        of = any(child.text() == "of" for child in iteration.children())
        return right.text() if of and right.kind() == "identifier" and left.text() == key.text() else None
    for node in walk(owner):
        value = node.field("value") or node.field("right")
        name = node.field("name") or node.field("left")
        if (
            node.kind() in {"variable_declarator", "assignment_expression"}
            and name is not None
            and value is not None
            and name.text() == key.text()
        ):
            match = re.match(r"([A-Za-z_$][\w$]*)(?:\[[^\]]+\]|\.shift\(\))$", value.text())
            if match is not None and node.range().start.index > iteration.range().start.index:
                return match[1]
    return None


def _recursion_guard(call: SgNode) -> Guard | None:
    """Return the guard for ``set(o[key], rest, value)`` inside ``set``, which also writes ``o[key]``."""
    owner = owner_of(call)
    handed = arguments(call)
    if (
        owner is None
        or iteration_of(call) is not None
        or not handed
        or callee(call).rsplit(".", 1)[-1] != name_of(owner)
    ):
        return None
    first = handed[0]
    if first.kind() != "subscript_expression" or not is_dynamic(first) or not _writes(owner):
        return None
    key = first.field("index")
    target = first.field("object")
    if key is None or target is None:
        return None
    return Guard(owner=owner, site=None, key=key.text(), many=False, leaves=True, target=target.text())


def _guard_fix(source: Source, guard: Guard) -> Fix | Refusal:
    """Return the guard as an edit, or a refusal where there is no place for a statement."""
    line = line_of(guard.site or guard.owner)
    reason = f"`{guard.key}` may hold a name that leads to Object.prototype and is used as a property name unchecked"
    edit = guard.edit(source)
    if edit is None:
        return Refusal(line=line, reason=f"{reason}; there is no block to put a check into")
    symbol = name_of(guard.owner) or symbol_of(guard.owner)
    return Fix(line=line, symbol=symbol, edits=(edit,), reason=reason, form="guard")


RULE = WeaknessRule(
    name="prototype-pollution",
    cwes=frozenset({"CWE-1321", "CWE-915"}),
    words=re.compile(
        r"prototype[\s-]*pollut|__proto__|Object\.prototype|constructor\.prototype", re.IGNORECASE
    ),
    detectors={"javascript": detect},
    summary="Keep property names from reaching a prototype",
)
