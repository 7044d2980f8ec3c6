"""Deep merges in JavaScript: the keys of one object, listed, become keys of another, at every level."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.rules.guards import Guard, iteration_of, owner_of
from agent.syntax.nodes import FUNCTIONS, arguments, callee, name_of, walk

if TYPE_CHECKING:
    from ast_grep_py import SgNode


def merge_guard(write: SgNode) -> Guard | None:
    """Return the guard for ``target[key] = ...`` while the keys of a source are listed and merged deeply."""
    left, iteration = write.field("left"), iteration_of(write)
    if left is None or iteration is None or left.kind() != "subscript_expression":
        return None
    key = left.field("index")
    owner = owner_of(write)
    if (
        key is None
        or owner is None
        or key.text() not in listed_keys(iteration)
        or not _goes_deep(iteration, left.text(), key.text(), owner)
    ):
        return None
    target = left.field("object")
    return Guard(
        owner=owner,
        site=iteration,
        key=key.text(),
        many=False,
        leaves=False,
        target=target.text() if target is not None else "",
        value=_carried(iteration, key.text()),
    )


def _carried(iteration: SgNode, key: str) -> str:
    """Return the expression of the value listed under ``key``."""
    right = iteration.field("right")
    text = right.text() if right is not None else callee(iteration)
    listed = re.match(r"(?:Object|Reflect)\.\w+\(\s*([\w$.]+)\s*\)", text)
    name = listed[1] if listed is not None else text
    return f"{name}[{key}]" if re.fullmatch(r"[\w$.]+", name) else ""


def listed_keys(iteration: SgNode) -> frozenset[str]:
    """Return the loop variables of ``for (k in o)``, ``for (k of Object.keys(o))`` and ``Object.keys(o).forEach``."""
    if iteration.kind() == "for_in_statement":
        left, right = iteration.field("left"), iteration.field("right")
        of = any(child.text() == "of" for child in iteration.children())
        if left is None or right is None or (of and not _lists_keys(right.text())):
            return frozenset()
        return _names(left)
    if iteration.kind() == "call_expression" and _lists_keys(callee(iteration)):
        callback = next((node for node in arguments(iteration) if node.kind() in FUNCTIONS), None)
        holder = callback and (callback.field("parameters") or callback.field("parameter"))
        return _names(holder) if holder else frozenset()
    return frozenset()


def _lists_keys(text: str) -> bool:
    return re.match(r"(?:Object|Reflect)\.(?:keys|entries|ownKeys|getOwnPropertyNames)\(", text) is not None


def _names(node: SgNode) -> frozenset[str]:
    return frozenset(here.text() for here in walk(node) if here.kind() == "identifier")


def _goes_deep(iteration: SgNode, target: str, key: str, owner: SgNode) -> bool:
    """Whether a value under the same key is handed on, so that the merge reaches below the first level."""
    for node in walk(iteration):
        if node.kind() != "call_expression" or node.range() == iteration.range():
            continue
        handed = [argument.text() for argument in arguments(node)]
        if target in handed or (
            callee(node).rsplit(".", 1)[-1] == name_of(owner) and any(f"[{key}]" in text for text in handed)
        ):
            return True
    return False
