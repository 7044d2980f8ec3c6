"""Shell injection: foreign text becomes part of a command line (Python)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules import shell_injection_js
from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import replace
from agent.syntax.imports import python_module
from agent.syntax.nodes import callee, function_of, is_constant, keyword, line_of, positional, symbol_of, walk
from agent.syntax.templates import python_holes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.edits import Edit
    from agent.syntax.source import Source

_ALWAYS: Final = frozenset(
    {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput"}
)
_ASKED: Final = re.compile(r"(?:^|\.)(?:run|call|check_call|check_output|Popen)$")


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield commands given to a shell with values in them."""
    for node in walk(source.root):
        if node.kind() != "call" or not positional(node) or not _uses_shell(node):
            continue
        command = positional(node)[0]
        if not is_constant(command):
            yield from _quoted(source, node, command)


def _uses_shell(call: SgNode) -> bool:
    if callee(call) in _ALWAYS:
        return True
    asked = keyword(call, "shell")
    value = asked.field("value") if asked is not None else None
    return value is not None and value.text() in {"True", "1"} and _ASKED.search(callee(call)) is not None


def _quoted(source: Source, call: SgNode, command: SgNode) -> Iterator[Fix | Refusal]:
    """Yield the quoting of every value in a command text, written here or assigned to a name above."""
    line, symbol = line_of(call), symbol_of(call)
    if command.kind() == "list":
        yield from _without_shell(call, symbol)
        return
    written = _written(command)
    holes = [hole for text in written for hole in python_holes(text) or ()]
    if not written or not all(python_holes(text) for text in written):
        yield from _split(source, call, command, symbol)
        return
    module, needed = python_module(source, "shlex")
    edits: list[Edit] = [*needed]
    for hole in holes:
        if hole.text.startswith(f"{module}.quote("):
            continue
        if hole.quotes not in {"", "'", '"'}:
            yield Refusal(
                line=line, reason=f"`{hole.text}` stands inside a longer quoted text; quote it by hand"
            )
            return
        edits += hole.wrapped(f"{module}.quote(str({hole.text}))")
    if len(edits) > len(needed):
        yield Fix(
            line=line,
            symbol=symbol,
            edits=tuple(edits),
            reason="a shell reads the values put into this command",
            form="quote",
        )


def _without_shell(call: SgNode, symbol: str) -> Iterator[Fix]:
    """Yield the removal of ``shell=True`` where the command is a list of arguments already."""
    asked = keyword(call, "shell")
    value = asked.field("value") if asked is not None else None
    if value is not None:
        yield Fix(
            line=line_of(call),
            symbol=symbol,
            edits=(replace(value, "False"),),
            reason="the command is a list of arguments and needs no shell",
            form="list",
        )


def _written(command: SgNode) -> list[SgNode]:
    """Return the expressions the command text is made of: itself, or what its name was assigned."""
    if command.kind() != "identifier":
        return [command]
    function = function_of(command)
    found = []
    for node in walk(function) if function is not None else ():
        left = node.field("left") if node.kind() in {"assignment", "augmented_assignment"} else None
        right = node.field("right") if left is not None else None
        if (
            left is not None
            and right is not None
            and left.text() == command.text()
            and not is_constant(right)
        ):
            found.append(right)
    return found


def _split(source: Source, call: SgNode, command: SgNode, symbol: str) -> Iterator[Fix | Refusal]:
    """Yield the run of the command's words without a shell, for a command that comes whole from outside."""
    asked = keyword(call, "shell")
    value = asked.field("value") if asked is not None else None
    if value is None or command.kind() not in {"identifier", "attribute", "subscript"}:
        yield Refusal(
            line=line_of(call),
            reason=f"the command `{command.text()[:60]}` hides where its values stand; quote them by hand",
        )
        return
    module, needed = python_module(source, "shlex")
    edits = (replace(command, f"{module}.split({command.text()})"), replace(value, "False"), *needed)
    yield Fix(
        line=line_of(call),
        symbol=symbol,
        edits=edits,
        reason="a shell reads a command that comes from outside",
        form="split",
    )


RULE = WeaknessRule(
    name="shell-injection",
    cwes=frozenset({"CWE-77", "CWE-78"}),
    words=re.compile(
        r"(?:command|shell|os)[\s-]*(?:injection|execution)|shell metachar|arbitrary commands?", re.IGNORECASE
    ),
    detectors={"python": _python, "javascript": shell_injection_js.detect},
    summary="Keep values out of the shell's hands",
)
