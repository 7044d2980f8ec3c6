"""Temporary file races: a name is chosen first and opened later, when somebody may have made it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import insert_lines_after, replace
from agent.syntax.imports import python_module
from agent.syntax.nodes import callee, function_of, identifiers, line_of, statement_of, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_REASON: Final = "mktemp only names a file; somebody else may make it before it is opened"


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield ``mktemp`` assigned to a name, which ``mkstemp`` makes as well; elsewhere a person must choose."""
    for node in walk(source.root):
        if node.kind() == "call" and callee(node) == "tempfile.mktemp" and not _is_exclusive(source, node):
            yield _made(source, node)


def _is_exclusive(source: Source, call: SgNode) -> bool:
    """Whether the file is opened so that it must not exist yet: then nobody else can have made it."""
    scope = function_of(call) or source.root
    return re.search(r"\bO_EXCL\b|\bopen\([^()]*,\s*(?:mode\s*=\s*)?['\"][bt+]*x", scope.text()) is not None


def _made(source: Source, call: SgNode) -> Fix | Refusal:
    parent, function = call.parent(), call.field("function")
    statement = statement_of(call)
    left = parent.field("left") if parent is not None and parent.kind() == "assignment" else None
    if (
        left is None
        or left.kind() not in {"identifier", "attribute"}
        or statement is None
        or function is None
    ):
        return Refusal(
            line=line_of(call),
            reason=f"{_REASON}; give the result a name, then mkstemp can take its place",
            symbol=symbol_of(call),
        )
    scope = function_of(call) or source.root
    if re.search(rf"(?:mkdir|makedirs|mkfifo|bind)\(\s*{re.escape(left.text())}\b", scope.text()):
        return Refusal(
            line=line_of(call),
            reason="the name is for something else than a file; mkdtemp gives a private folder",
            symbol=symbol_of(call),
        )
    handle = next(
        name for name in ("fd", "handle", "descriptor", "temporary_fd") if name not in identifiers(scope)
    )
    os, needed = python_module(source, "os")
    edits = (
        replace(left, f"{handle}, {left.text()}"),
        replace(function, "tempfile.mkstemp"),
        insert_lines_after(source, statement, [f"{os}.close({handle})"]),
        *needed,
    )
    return Fix(line=line_of(call), symbol=symbol_of(call), edits=edits, reason=_REASON)


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield names below the temporary folder that are put together by hand: Node makes folders, not names."""
    for node in walk(source.root):
        if node.kind() in {"call_expression", "binary_expression", "template_string"} and re.match(
            r"(?:path\.join\(\s*)?(?:`\$\{)?os\.tmpdir\(\).*(?:Math\.random|Date\.now|process\.pid)",
            node.text(),
            re.DOTALL,
        ):
            parent = node.parent()
            if parent is not None and parent.kind() in {
                "variable_declarator",
                "assignment_expression",
                "arguments",
            }:
                yield Refusal(
                    line=line_of(node),
                    reason="the name can be guessed; fs.mkdtempSync gives a private folder to put the file in",
                )


RULE = WeaknessRule(
    name="temporary-files",
    cwes=frozenset({"CWE-377", "CWE-378", "CWE-379", "CWE-367"}),
    words=re.compile(
        r"mktemp|temporary file|temp(?:orary)? (?:file|dir)\w* race|symlink race", re.IGNORECASE
    ),
    detectors={"python": _python, "javascript": _javascript},
    summary="Make temporary files in one step",
    definitive=True,
    shared=frozenset({"CWE-367", "CWE-378", "CWE-379"}),
)
