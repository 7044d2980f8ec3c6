"""Archive slip in Python: members of a tar archive that are written outside of the folder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import Edit, insert_lines_before, replace
from agent.syntax.imports import python_module
from agent.syntax.nodes import (
    arguments,
    callee,
    function_of,
    keyword,
    line_of,
    positional,
    statement_of,
    symbol_of,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_REASON: Final = "members may have absolute names, `..`, or be links that lead out"


def detect(source: Source) -> Iterator[Fix | Refusal]:
    """Yield extractions of tar archives that filter nothing: the library's own filter first, a check as well."""
    if re.search(r"^\s*(?:import|from)\s+tarfile\b", source.text, re.MULTILINE) is None:
        return
    names = frozenset(_archives(source.root))
    for node in walk(source.root):
        owner, _, method = callee(node).rpartition(".") if node.kind() == "call" else ("", "", "")
        if method == "unpack_archive" and keyword(node, "filter") is None:
            yield _filtered(node)
        if method not in {"extractall", "extract"} or owner not in names or _is_filtered(source, node):
            continue
        yield _filtered(node)
        if method == "extractall" and (check := _checked(source, node, owner)):
            yield check


def _is_filtered(source: Source, call: SgNode) -> bool:
    """Whether a filter is given, or the members are held against the folder before."""
    scope = function_of(call) or source.root
    checked = re.search(r"commonpath|is_relative_to|\.startswith\(", scope.text())
    return keyword(call, "filter") is not None or checked is not None


def _archives(root: SgNode) -> Iterator[str]:
    """Yield the names that hold a tar archive: assigned from ``tarfile.open`` or bound by ``with``."""
    for node in walk(root):
        if node.kind() == "assignment":
            left, right = node.field("left"), node.field("right")
            if (
                left is not None
                and right is not None
                and re.match(r"(?:tarfile\.)(?:open|TarFile)", right.text())
            ):
                yield left.text()
        elif node.kind() == "as_pattern":
            match = re.match(
                r"(?:\w+\.closing\()?tarfile\.(?:open|TarFile)\b.*\bas\s+([\w.]+)$", node.text(), re.DOTALL
            )
            if match is not None:
                yield match[1]
        elif node.kind() == "typed_parameter" and "TarFile" in node.text():
            yield node.text().split(":")[0].strip()


def _filtered(call: SgNode) -> Fix:
    """Return the extraction with the library's data filter."""
    last = arguments(call)[-1] if arguments(call) else None
    if last is None:
        holder = call.field("arguments")
        edits = (replace(holder, '(filter="data")'),) if holder is not None else ()
    else:
        edits = (replace(last, f'{last.text()}, filter="data"'),)
    return Fix(line=line_of(call), symbol=symbol_of(call), edits=edits, reason=_REASON, form="filter")


def _checked(source: Source, call: SgNode, archive: str) -> Fix | None:
    """Return a check of every member before the extraction, for interpreters without filters."""
    statement = statement_of(call)
    given = positional(call)
    path = keyword(call, "path")
    value = path.field("value") if path is not None else (given[0] if given else None)
    if statement is None or len(given) > 1 or keyword(call, "members") is not None:
        return None
    os, needed = python_module(source, "os")
    folder = value.text() if value is not None else f"{os}.curdir"
    unit = source.unit
    inside = f"{os}.path.realpath({os}.path.join({folder}, {{}}))"
    root = f"{os}.path.realpath({folder})"
    lines = [
        f"for member in {archive}.getmembers():",
        f"{unit}target = {inside.format('member.name')}",
        f"{unit}if member.islnk() or member.issym():",
        f'{unit}{unit}raise ValueError("archive member is a link: " + member.name)',
        f"{unit}if {os}.path.commonpath([{root}, target]) != {root}:",
        f'{unit}{unit}raise ValueError("archive member leaves the folder: " + member.name)',
    ]
    edits: tuple[Edit, ...] = (insert_lines_before(source, statement, lines), *needed)
    return Fix(line=line_of(call), symbol=symbol_of(call), edits=edits, reason=_REASON, form="members")


RULE = WeaknessRule(
    name="archive-slip",
    cwes=frozenset({"CWE-22", "CWE-23", "CWE-29", "CWE-59"}),
    words=re.compile(
        r"\btar\s*file\b|\btar\b.*(?:slip|extract|travers)|zip[\s-]*slip|extractall", re.IGNORECASE
    ),
    detectors={"python": detect},
    summary="Keep archive members inside the folder",
)
