"""A trivially safe variant of the code: the functions that do the harm do nothing.

A program that still says vulnerable does not look at what the code does. There are two stubs, one raises and the
other returns nothing: a flaw can lie in not refusing or in not surviving, and only one of them is safe for it.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from agent.domain.patch import SourceFile
from agent.syntax.edits import Edit, apply
from agent.syntax.nodes import line_of, walk
from agent.syntax.source import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ast_grep_py import SgNode

    from agent.domain.place import Place
    from agent.syntax.source import Source


class Stub(Enum):
    """What a stubbed function does, in Python and in JavaScript."""

    RAISES = ("raise RuntimeError('not available')", "throw new Error('not available');")
    RETURNS = ("return", "return;")


_BODIES = frozenset({"block", "statement_block"})
_FUNCTIONS = frozenset(
    {
        "function_definition",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
        "arrow_function",
    }
)


def reached_in(
    sinks: Iterable[Place],
    functions: Iterable[tuple[str, int]],
    content: Callable[[str], bytes | None],
) -> frozenset[tuple[str, int]]:
    """Return the functions that ran within the sinks; one that is decorated ran from its first decorator on."""
    found: set[tuple[str, int]] = set()
    ran = frozenset(functions)
    for sink in sinks:
        source = _source(sink.path, content)
        own = {_first(node): line_of(node) for node in _functions(source)} if source is not None else {}
        found |= {
            (path, line)
            for path, line in ran
            if path == sink.path and sink.start_line <= own.get(line, line) <= sink.end_line
        }
    return frozenset(found)


def stubbed(
    functions: Iterable[tuple[str, int]], content: Callable[[str], bytes | None], stub: Stub
) -> Mapping[str, bytes]:
    """Return the files in which the functions, told by path and first line, do nothing; only those that changed."""
    lines: dict[str, set[int]] = {}
    for path, line in functions:
        lines.setdefault(path, set()).add(line)
    changed = {}
    for path, wanted in lines.items():
        source = _source(path, content)
        if source is None:
            continue
        text = apply(source.text, list(_edits(source, wanted, stub)))
        if text is not None and text != source.text:
            changed[path] = source.bom + text.encode(source.encoding)
    return changed


def _edits(source: Source, wanted: set[int], stub: Stub) -> Iterator[Edit]:
    """Yield the edit of each wanted function; what lies inside of one that is stubbed stays."""
    done = -1
    for node in _functions(source):
        body = node.field("body")
        if body is None or node.range().start.index < done or _first(node) not in wanted:
            continue
        done = node.range().end.index
        yield _python(source, body, stub) if source.language == "python" else _javascript(body, stub)


def _source(path: str, content: Callable[[str], bytes | None]) -> Source | None:
    given = content(path)
    return read(SourceFile(path=path, content=given)) if given is not None else None


def _functions(source: Source) -> Iterator[SgNode]:
    return (node for node in walk(source.root) if node.kind() in _FUNCTIONS)


def _first(node: SgNode) -> int:
    parent = node.parent()
    return line_of(parent if parent is not None and parent.kind() == "decorated_definition" else node)


def _python(source: Source, body: SgNode, stub: Stub) -> Edit:
    start = body.range().start.index
    before = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    after = f"{source.newline}{before}" if not before.strip() else "; "
    return Edit(start=start, end=start, text=f"{stub.value[0]}{after}")


def _javascript(body: SgNode, stub: Stub) -> Edit:
    span = body.range()
    if body.kind() in _BODIES:
        return Edit(start=span.start.index + 1, end=span.start.index + 1, text=f" {stub.value[1]}")
    return Edit(start=span.start.index, end=span.end.index, text=f"{{ {stub.value[1]} }}")
