"""What a JavaScript proof may not do. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ast_grep_py import SgRoot

from agent.syntax.nodes import arguments, callee, identifiers, walk
from agent.syntax.source import parses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ast_grep_py import SgNode

_WRITERS: Final = re.compile(
    r"(?:^|\.)(?:writeFile|appendFile|createWriteStream|unlink|rename|rm|rmdir|copyFile|cp|symlink|truncate)(?:Sync)?$"
)
_PATCHERS: Final = re.compile(
    r"^(?:jest\.(?:mock|spyOn|doMock)|sinon\.(?:stub|replace)|mock\.(?:method|module)|proxyquire|Object\.definePropert(?:y|ies)|Object\.assign|vi\.mock)$"
)
_PRINTS: Final = re.compile(r"^(?:console\.\w+|JSON\.stringify|util\.inspect|process\.stdout\.write)$")
_TREE: Final = re.compile(r"CASE_TREE|^['\"`]/work(?:/|['\"`]$)|process\.cwd\(\)")
_EXIT: Final = "process.exit"


def faults(code: str, project: Collection[str]) -> Iterator[str]:
    """Yield what the program may not do and does, one line each."""
    if not parses(code, "javascript"):
        yield "the program does not parse"
        return
    nodes = list(walk(SgRoot(code, "javascript").root()))
    yield from _exits(nodes)
    bound = _bound(nodes)
    inside = frozenset(name for name, value in bound if _in_tree(value, frozenset()))
    ours = frozenset(name for name, value in bound if _is_ours(value, inside, project))
    for node in nodes:
        if node.kind() == "call_expression":
            yield from _call(node, ours, inside, project)
        if node.kind() in {"assignment_expression", "augmented_assignment_expression"}:
            yield from _assignment(node, ours)
        if node.kind() in {"string", "template_string"} and node.text()[1:].startswith("/proc/"):
            yield "the program reads /proc; use a file that it made itself"


def _exits(nodes: list[SgNode]) -> Iterator[str]:
    """Tell of an exit code that cannot depend on what was seen: there is one for vulnerable and one for safe."""
    codes: list[SgNode | None] = []
    for node in nodes:
        if node.kind() == "call_expression" and callee(node) == _EXIT:
            codes.append(next(iter(arguments(node)), None))
        if node.kind() == "assignment_expression" and _left(node) == "process.exitCode":
            codes.append(node.field("right"))
    texts = {code.text() if code is not None else "0" for code in codes}
    if not codes:
        yield "the program never sets its exit code: 0 when vulnerable, 1 when safe"
    elif all(text.isdigit() for text in texts) and not {"0", "1"} <= texts:
        yield "the exit code does not depend on what was seen: 0 when vulnerable, 1 when safe"


def _bound(nodes: list[SgNode]) -> list[tuple[str, SgNode]]:
    """Return each variable with its value, also those that a pattern or an import binds."""
    found: list[tuple[str, SgNode]] = []
    for node in nodes:
        if node.kind() == "variable_declarator":
            name, value = node.field("name"), node.field("value")
            if name is not None and value is not None:
                names = identifiers(name) | {
                    part.text()
                    for part in walk(name)
                    if part.kind() == "shorthand_property_identifier_pattern"
                }
                found += [(one, value) for one in names]
        elif node.kind() == "import_statement" and (source := node.field("source")) is not None:
            found += [(one, source) for one in identifiers(node)]
    return found


def _is_ours(value: SgNode, inside: frozenset[str], project: Collection[str]) -> bool:
    """Tell whether a value is a module of the project: required by its name or by a path into it."""
    if value.kind() == "string":
        return _module(value) in project or value.text()[1:].startswith(("/work/", "."))
    required = next(
        (
            node
            for node in walk(value)
            if node.kind() == "call_expression" and callee(node) in {"require", "import"}
        ),
        None,
    )
    if required is None or not (given := arguments(required)):
        return False
    if given[0].kind() == "string" and _module(given[0]) in project:
        return True
    return _in_tree(given[0], inside) or given[0].text()[1:].startswith(".")


def _module(node: SgNode) -> str:
    parts = node.text()[1:-1].split("/")
    return "/".join(parts[:2]) if parts[0].startswith("@") else parts[0]


def _in_tree(node: SgNode, inside: frozenset[str]) -> bool:
    """Tell whether an expression is a path into the project."""
    if any(
        part.kind() in {"arrow_function", "function_expression", "await_expression"} for part in walk(node)
    ):
        return False
    if node.kind() == "call_expression" and callee(node).rpartition(".")[2] not in {"join", "resolve", "cwd"}:
        return False
    return _TREE.search(node.text()) is not None or not identifiers(node).isdisjoint(inside)


def _call(
    node: SgNode, ours: frozenset[str], inside: frozenset[str], project: Collection[str]
) -> Iterator[str]:
    name, given = callee(node), arguments(node)
    if _WRITERS.search(name) and any(_in_tree(part, inside) for part in given[:2]):
        yield "the program writes into the project; use a temporary folder"
    if (
        _PATCHERS.match(name)
        and given
        and (_root(given[0]) in ours or (given[0].kind() == "string" and _module(given[0]) in project))
    ):
        yield "the program replaces code of the project"
    if _PRINTS.match(name) and any(part.text() == "process.env" for part in given):
        yield "the program prints the environment"


def _assignment(node: SgNode, ours: frozenset[str]) -> Iterator[str]:
    left = node.field("left")
    if left is None or left.kind() not in {"member_expression", "subscript_expression"}:
        return
    if _left(node).startswith(("require.cache", "Module._load", "Module.prototype")):
        yield "the program replaces modules"
    elif _root(left) in ours:
        yield "the program replaces code of the project"


def _left(node: SgNode) -> str:
    left = node.field("left")
    return left.text() if left is not None else ""


def _root(node: SgNode) -> str:
    while node.kind() in {"member_expression", "subscript_expression"} and node.field("object") is not None:
        node = node.field("object")  # type: ignore[assignment] # it was just seen not to be None
    return node.text() if node.kind() == "identifier" else ""
