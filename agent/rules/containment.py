"""Checks that a path lies inside a folder, and the ways they are commonly got wrong (Python)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix
from agent.syntax.edits import replace
from agent.syntax.imports import python_module
from agent.syntax.nodes import (
    callee,
    function_of,
    is_constant,
    line_of,
    positional,
    symbol_of,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.edits import Edit
    from agent.syntax.source import Source

_PREFIX: Final = re.compile(r"^(?P<module>(?:os\.path|posixpath|ntpath|path)\.)commonprefix$")
_NORMAL: Final = re.compile(r"\b(?:abspath|realpath|normpath)\(")
_PATHS: Final = re.compile(r"\b(?:abspath|realpath|normpath|path\.join)\(|\.resolve\(|\.absolute\(")


def containment_fixes(source: Source) -> Iterator[Fix]:
    """Yield comparisons by character where paths must be compared by component."""
    for node in walk(source.root):
        if node.kind() != "call":
            continue
        if _PREFIX.match(callee(node)):
            yield from _common_prefix(node)
        elif callee(node).endswith(".startswith") and len(positional(node)) == 1:
            yield from _starts_with(source, node)
        elif callee(node).endswith(".extract") and len(positional(node)) > 1:
            yield from _reused_name(node)


def _common_prefix(call: SgNode) -> Iterator[Fix]:
    """Yield ``commonprefix`` in a comparison: ``/srv/static`` is a prefix of ``/srv/static_private`` too."""
    comparison = call.parent()
    target = call.field("function")
    if comparison is None or comparison.kind() != "comparison_operator" or target is None:
        return
    module = callee(call).removesuffix("commonprefix")
    other = next((node for node in comparison.named_children() if node.range() != call.range()), None)
    edits: list[Edit] = [replace(target, f"{module}commonpath")]
    if other is not None and not _is_normal(other):
        edits.append(replace(other, f"{module}normpath({other.text()})"))
    yield Fix(
        line=line_of(call),
        symbol=symbol_of(call),
        edits=tuple(edits),
        reason="commonprefix compares characters, so a sibling folder whose name begins alike passes",
        form="contain",
    )


def _is_normal(node: SgNode) -> bool:
    """Whether an operand has no trailing separator: it was made by a function that strips it."""
    return _NORMAL.search(node.text()) is not None or any(_NORMAL.match(value) for value in _values(node))


def _values(node: SgNode) -> list[str]:
    """Return the texts assigned to a name within its function."""
    function = function_of(node)
    values = []
    for here in walk(function) if function is not None else ():
        left, right = (
            (here.field("left"), here.field("right")) if here.kind() == "assignment" else (None, None)
        )
        if left is not None and right is not None and left.text() == node.text():
            values.append(re.sub(r"^os\.path\.|^path\.", "", right.text()))
    return values


def _starts_with(source: Source, call: SgNode) -> Iterator[Fix]:
    """Yield ``path.startswith(root)`` with no separator after the root."""
    target, root = call.field("function"), positional(call)[0]
    path = target.field("object") if target is not None else None
    if path is None or is_constant(root) or root.kind() not in {"identifier", "attribute", "call"}:
        return
    if not any(_PATHS.search(text) for text in (path.text(), *_values(path))):
        return
    if root.kind() == "call" and not _PATHS.search(root.text()) and not callee(root).startswith("str"):
        return
    if re.search(r"\bsep\b|,\s*(['\"])\1\s*\)$", " ".join([root.text(), *_values(root)])):
        return
    os, needed = python_module(source, "os")
    yield Fix(
        line=line_of(call),
        symbol=symbol_of(call),
        edits=(
            replace(call, f'({path.text()} + {os}.sep).startswith({os}.path.join({root.text()}, ""))'),
            *needed,
        ),
        reason=f"without a separator after `{root.text()}` a sibling folder whose name begins alike passes",
        form="contain",
    )


def _reused_name(extract: SgNode) -> Iterator[Fix]:
    """Yield uses of an archive member's own name after ``extract``, which wrote to a cleaned path."""
    statement = extract.parent()
    member, folder = (node.text() for node in positional(extract)[:2])
    block = (
        statement.parent() if statement is not None and statement.kind() == "expression_statement" else None
    )
    if statement is None or block is None:
        return
    name = re.escape(f"{member}.filename")
    joined = re.compile(
        rf"^(?:{re.escape(folder)}\.joinpath\(\s*{name}\s*\)|{re.escape(folder)}\s*/\s*{name}"
        rf"|(?P<text>os\.path\.join\(\s*{re.escape(folder)}\s*,\s*{name}\s*\)))$"
    )
    after = statement.range().end.index
    uses = [node for node in walk(block) if node.range().start.index > after and joined.match(node.text())]
    if not uses or re.search(r"\bextracted\b", block.text()):
        return
    edits = [replace(extract, f"extracted = {extract.text()}")]
    for node in uses:
        match = joined.match(node.text())
        edits.append(replace(node, "extracted" if match is not None and match["text"] else "Path(extracted)"))
    yield Fix(
        line=line_of(uses[0]),
        symbol=symbol_of(extract),
        edits=tuple(edits),
        reason=f"extract cleans the name it writes to, `{member}.filename` still holds what the archive says",
        form="extracted",
    )
