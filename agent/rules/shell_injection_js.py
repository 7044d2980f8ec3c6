"""Shell injection in JavaScript: a command line becomes a program with a list of arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal
from agent.syntax.edits import Edit, insert_lines_after, replace
from agent.syntax.nodes import (
    arguments,
    callee,
    function_of,
    is_constant,
    line_of,
    statement_of,
    symbol_of,
    walk,
)
from agent.syntax.style import end_of_statement, quoted
from agent.syntax.templates import holes_of, javascript_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_SHELL: Final = re.compile(r"[|&;<>()$`\\*?#~\[\]{}\n]")
_CALLS: Final = {"exec": "execFile", "execSync": "execFileSync"}
_MODULE: Final = r"require\(\s*['\"](?:node:)?child_process['\"]\s*\)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """How child_process is reached: names of the module, and local names of its functions with their import."""

    modules: frozenset[str]
    functions: dict[str, tuple[str, SgNode]]


def detect(source: Source) -> Iterator[Fix | Refusal]:
    """Yield ``exec`` calls whose command has values in it."""
    known = _known(source.root)
    for node in walk(source.root):
        if node.kind() == "call_expression" and arguments(node):
            owner, _, name = callee(node).rpartition(".")
            if owner in known.modules or re.fullmatch(_MODULE, owner):
                function = name
            else:
                function = known.functions[name][0] if not owner and name in known.functions else ""
            command = _command(arguments(node)[0])
            if function in _CALLS and not is_constant(command):
                yield _fix(source, node, command, function, known)


def _command(node: SgNode) -> SgNode:
    """Return the expression of the command: itself, or the only value of the local name given."""
    function = function_of(node)
    if node.kind() != "identifier" or function is None:
        return node
    values = [
        value
        for here in walk(function)
        if here.kind() in {"variable_declarator", "assignment_expression", "augmented_assignment_expression"}
        and (target := here.field("name") or here.field("left")) is not None
        and target.text() == node.text()
        and (value := here.field("value") or here.field("right")) is not None
    ]
    return values[0] if len(values) == 1 else node


def _known(root: SgNode) -> _Known:
    modules: set[str] = set()
    functions: dict[str, tuple[str, SgNode]] = {}
    for node in walk(root):
        name, value = node.field("name"), node.field("value")
        if node.kind() == "variable_declarator" and name is not None and value is not None:
            member = re.fullmatch(_MODULE + r"\.(\w+)", value.text())
            if re.fullmatch(_MODULE, value.text()) and name.kind() == "identifier":
                modules.add(name.text())
            elif re.fullmatch(_MODULE, value.text()):
                functions |= {
                    alias or own: (own, name)
                    for own, alias in re.findall(r"(\w+)(?:\s*:\s*(\w+))?", name.text())
                }
            elif member is not None:
                functions[name.text()] = (member[1], node)
        elif node.kind() == "import_statement" and re.search(
            r"['\"](?:node:)?child_process['\"]", node.text()
        ):
            clause = re.search(r"\{([^}]*)\}", node.text())
            holder = next((here for here in walk(node) if here.kind() == "named_imports"), None)
            if clause is not None and holder is not None:
                functions |= {
                    alias or own: (own, holder)
                    for own, alias in re.findall(r"(\w+)(?:\s+as\s+(\w+))?", clause[1])
                }
            elif match := re.match(r"import\s+(?:\*\s*as\s+)?(\w+)", node.text()):
                modules.add(match[1])
    return _Known(modules=frozenset(modules), functions=functions)


def _fix(source: Source, call: SgNode, command: SgNode, function: str, known: _Known) -> Fix | Refusal:
    """Return the call as program and arguments, or why it needs a shell."""
    line = line_of(call)
    words = _words(source, command)
    if words is None:
        return Refusal(
            line=line,
            reason="the command needs a shell, or its parts cannot be told apart; quote its values by hand",
        )
    target = call.field("function")
    if target is None or _SHELL.search(words[0]):
        return Refusal(line=line, reason="the program itself comes from outside")
    given = arguments(call)[0]
    edits: list[Edit] = []
    if given.range() != command.range():
        edits.append(replace(command, f"[{', '.join(words[1:])}]"))
        edits.append(replace(given, f"{words[0]}, {given.text()}"))
        if _uses(source, given) != 2:  # noqa: PLR2004 - its declaration and this call
            return Refusal(line=line, reason=f"`{given.text()}` is used elsewhere too")
    else:
        edits.append(replace(given, f"{words[0]}, [{', '.join(words[1:])}]"))
    edits += _renamed(source, target, function, known)
    return Fix(
        line=line,
        symbol=symbol_of(call),
        edits=tuple(edits),
        reason="a shell reads the values put into this command",
        form="file",
    )


def _uses(source: Source, name: SgNode) -> int:
    function = function_of(name)
    return sum(
        node.text() == name.text() and node.kind() == "identifier" for node in walk(function or source.root)
    )


def _words(source: Source, command: SgNode) -> list[str] | None:
    """Return the words of a command as JavaScript expressions, None when only a shell can read it."""
    pieces = javascript_pieces(command)
    if pieces is None or any(hole.quotes == "?" for hole in holes_of(pieces)):
        return None
    words: list[list[str]] = [[]]
    quote = ""
    for piece in pieces:
        if piece.node is not None:
            words[-1].append(f"String({piece.node.text()})")
            continue
        if _SHELL.search(piece.text):
            return None
        for part in re.findall(r"['\"]|\s+|[^\s'\"]+", piece.text):
            if part in {"'", '"'} and quote in {"", part}:
                quote = "" if quote else part
            elif part.isspace() and not quote:
                words.append([])
            else:
                words[-1].append(
                    quoted(source, part.replace('"', ""))
                    if '"' not in part and "'" not in part
                    else f"`{part}`"
                )
    joined = [" + ".join(_merged(word)) for word in words if word]
    return (
        joined
        if joined and not quote and joined[0].startswith(("'", '"')) and " + " not in joined[0]
        else None
    )


def _merged(word: list[str]) -> list[str]:
    """Return the parts of one word with neighbouring literals joined."""
    merged: list[str] = []
    for part in word:
        if merged and merged[-1][0] == part[0] and part[0] in "'\"":
            merged[-1] = merged[-1][:-1] + part[1:]
        else:
            merged.append(part)
    return merged


def _renamed(source: Source, target: SgNode, function: str, known: _Known) -> Iterator[Edit]:
    """Yield the edits that call ``execFile`` instead, with its import where functions are imported by name."""
    new = _CALLS[function]
    if target.kind() == "member_expression":
        holder = target.field("property")
        if holder is not None:
            yield replace(holder, new)
        return
    local = next((name for name, (own, _) in known.functions.items() if own == new), None)
    yield replace(target, local or new)
    if local is not None:
        return
    place = known.functions[target.text()][1]
    if place.kind() in {"object_pattern", "named_imports"}:
        inside = place.text()[1:-1].strip()
        yield replace(place, f"{{ {inside.rstrip(',')}, {new} }}")
        return
    statement = statement_of(place)
    if statement is not None:
        word = statement.text().split(None, 1)[0]
        line = f"{word} {new} = require({quoted(source, 'child_process')}).{new}{end_of_statement(source)}"
        yield insert_lines_after(source, statement, [line])
