"""Find where a name is defined, and where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import regex

from agent.reading.errors import CallError
from agent.reading.searching import chosen
from agent.reading.showing import bounded, cut, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent.reading.tree import ReadableTree
    from retrieval.files.outline import Definition

_NAME: Final = regex.compile(r"[\w$]+(?:(?:\.|::|#)[\w$]+)*")
_MOST_LINES: Final = 60
_MOST_DEFINITIONS: Final = 12
_MOST_REFERENCES: Final = 60


def find_definition(tree: ReadableTree, name: str, path: str = "") -> str:
    """Return the numbered lines of every definition of ``name``, which may be qualified; raise ``CallError``."""
    found = definitions_of(tree, name, path)
    if not found:
        return f"No definition of {name} was found; try search_string, it may be assigned or come from a dependency."
    parts = (_shown(tree, where, one) for where, one in found[:_MOST_DEFINITIONS])
    rest = (
        f"... {len(found) - _MOST_DEFINITIONS} more; give `path`." if len(found) > _MOST_DEFINITIONS else ""
    )
    return "\n".join(
        filter(None, (bounded(parts, "... more definitions do not fit; give `path` or use read_file."), rest))
    )


def definitions_of(tree: ReadableTree, name: str, path: str = "") -> list[tuple[str, Definition]]:
    """Return path and definition of every definition that is called ``name`` or ends with it."""
    parts = _parts(name)
    word = regex.compile(rf"(?<![\w$]){regex.escape(parts[-1])}(?![\w$])")
    return [
        (where, one)
        for where in chosen(tree, path)
        if word.search(tree.text(where) or "")
        for one in tree.definitions(where)
        if _parts_of(one.name)[-len(parts) :] == parts
    ]


def references_of(tree: ReadableTree, name: str, path: str = "") -> Iterator[tuple[str, int, str]]:
    """Yield path, line and text of each use of the name's last part; the lines that define it are left out."""
    last = _parts(name)[-1]
    word = regex.compile(rf"(?<![\w$]){regex.escape(last)}(?![\w$])")
    for where in chosen(tree, path):
        text = tree.text(where) or ""
        if not word.search(text):
            continue
        lines = text.split("\n")
        defining = set(_defining(tree, where, last, lines, word))
        for number, line in enumerate(lines, start=1):
            if number not in defining and word.search(line):
                yield where, number, line


def find_references(tree: ReadableTree, name: str, path: str = "") -> str:
    """Return ``path:line: text`` of each use of ``name``, bounded; raise ``CallError``."""
    more = "... there are more; narrow the search by `path`."
    found: list[str] = []
    for where, number, line in references_of(tree, name, path):
        if len(found) == _MOST_REFERENCES:
            found.append(more)
            break
        found.append(f"{where}:{number}: {cut(line.strip())}")
    return bounded(found, more) or f"No use of {name} was found."


def _defining(
    tree: ReadableTree, path: str, last: str, lines: list[str], word: regex.Pattern[str]
) -> Iterator[int]:
    """Yield the line of each definition of ``last`` that bears its name: below decorators it is a later one."""
    for one in tree.definitions(path):
        if _parts_of(one.name)[-1] == last:
            span = range(one.start_line, min(one.end_line, len(lines)) + 1)
            yield next((at for at in span if word.search(lines[at - 1])), one.start_line)


def _shown(tree: ReadableTree, path: str, one: Definition) -> str:
    lines = (tree.text(path) or "").split("\n")
    last = min(one.end_line, one.start_line + _MOST_LINES - 1)
    rest = f"\n      ... to line {one.end_line}; use read_file" if last < one.end_line else ""
    head = f"{path}:{one.start_line}-{one.end_line} {one.kind} {one.name}"
    return f"{head}\n{numbered(lines, one.start_line, last)}{rest}"


def _parts(name: str) -> list[str]:
    if not _NAME.fullmatch(name.strip()):
        raise CallError("Give one name such as `render` or `Template.render`, no call and no code.")
    return _parts_of(name.strip())


def _parts_of(name: str) -> list[str]:
    return [part for part in regex.split(r"[.:#]+", name) if part] or [name]
