"""SQL injection: a query put together from text and values becomes one with parameters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import replace
from agent.syntax.nodes import (
    arguments,
    callee,
    function_of,
    is_constant,
    line_of,
    positional,
    symbol_of,
    walk,
)
from agent.syntax.templates import holes_of, javascript_pieces, python_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source
    from agent.syntax.templates import Hole, Piece

_QUERY: Final = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|MERGE)\b", re.IGNORECASE)
# what stands before a value that a parameter can take the place of
_VALUE: Final = re.compile(
    r"(?:[=<>(,]|\b(?:LIKE|VALUES|LIMIT|OFFSET|IN|AND|OR|BETWEEN|SET|THEN|ELSE|WHEN))\s*$", re.IGNORECASE
)
_PYTHON: Final = {"sqlite3": "?", "aiosqlite": "?", "pyodbc": "?", "duckdb": "?", "psycopg2": "%s", "psycopg": "%s",
                  "MySQLdb": "%s", "pymysql": "%s", "mysql.connector": "%s"}  # fmt: skip
_JAVASCRIPT: Final = {
    "mysql": "?",
    "mysql2": "?",
    "sqlite3": "?",
    "better-sqlite3": "?",
    "pg": "$",
    "mariadb": "?",
}
_RUNS: Final = re.compile(r"\.(?:execute|executemany|query|all|get|run|each)$")


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield ``execute`` calls whose query has values in it."""
    imports = re.findall(r"^\s*(?:import|from)\s+([\w.]+)", source.text, re.MULTILINE)
    marks = {
        mark
        for module, mark in _PYTHON.items()
        if any(re.match(rf"{re.escape(module)}\b", name) for name in imports)
    }
    for node in walk(source.root):
        if node.kind() == "call" and callee(node).endswith(".execute") and len(positional(node)) == 1:
            yield from _fixes(node, positional(node)[0], marks, python_pieces, _python_list)


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield queries with values in them, given to a client this file names."""
    names = re.findall(r"(?:require\(\s*|from\s+)['\"]([\w/@-]+?)(?:/promise)?['\"]", source.text)
    marks = {mark for module, mark in _JAVASCRIPT.items() if module in names}
    for node in walk(source.root):
        if node.kind() == "call_expression" and _RUNS.search(callee(node)) and arguments(node):
            handed = arguments(node)
            if len(handed) == 1 or handed[1].kind() in {
                "arrow_function",
                "function_expression",
                "identifier",
                "function",
            }:
                yield from _fixes(node, handed[0], marks, javascript_pieces, _javascript_list)


def _fixes(call: SgNode, given: SgNode, marks: set[str], read: Callable[[SgNode], list[Piece] | None],
           listed: Callable[[list[str]], str]) -> Iterator[Fix | Refusal]:  # fmt: skip
    """Yield the query with a mark for each value and the values beside it, or why not."""
    query = _query(given)
    if query is None or is_constant(query):
        return
    pieces = read(query)
    if pieces is None or not _QUERY.search("".join(piece.text for piece in pieces)):
        return
    line = line_of(call)
    holes = holes_of(pieces)
    wrong = next((hole for hole in holes if not _is_value(hole)), None)
    if wrong is not None:
        yield Refusal(
            line=line,
            reason=f"`{wrong.text}` is a name or a part of a text, which no parameter can stand for",
        )
    elif len(marks) != 1:
        yield Refusal(
            line=line,
            reason="the file does not say which driver runs the query, so its parameter marks are not known",
        )
    elif holes:
        written = _written(pieces, holes, next(iter(marks)))
        values = listed([hole.text for hole in holes])
        edits = (
            (replace(query, written), replace(given, f"{given.text()}, {values}"))
            if query.range() != given.range()
            else (replace(given, f"{written}, {values}"),)
        )
        yield Fix(
            line=line,
            symbol=symbol_of(call),
            edits=edits,
            reason="the database reads the values put into this query as SQL",
        )


def _query(given: SgNode) -> SgNode | None:
    """Return the expression of the query: the argument, or the only value its name was given."""
    function = function_of(given)
    if given.kind() != "identifier" or function is None:
        return given
    values = []
    for node in walk(function):
        target, value = node.field("left") or node.field("name"), node.field("right") or node.field("value")
        assigns = {"assignment", "augmented_assignment", "variable_declarator", "assignment_expression"}
        if (
            node.kind() in assigns
            and target is not None
            and value is not None
            and target.text() == given.text()
        ):
            values.append(value)
    return values[0] if len(values) == 1 else None


def _is_value(hole: Hole) -> bool:
    before = hole.before.rstrip("'\"") if hole.quotes else hole.before
    return hole.quotes in {"", "'", '"'} and _VALUE.search(before) is not None


def _written(pieces: list[Piece], holes: list[Hole], mark: str) -> str:
    """Return the query as one literal with marks; quotes around values are gone."""
    text = ""
    count = 0
    for index, piece in enumerate(pieces):
        if piece.node is None:
            before = index > 0 and pieces[index - 1].node is not None and holes[count - 1].quotes
            text += piece.text[1:] if before else piece.text
            continue
        if holes[count].quotes:
            text = text[:-1]
        count += 1
        text += f"${count}" if mark == "$" else mark
    if mark == "%s":
        text = re.sub(r"%(?!s)", "%%", text)
    quote = "'" if '"' in text and "'" not in text else '"'
    if "\n" in text:
        return f'"""{text}"""' if mark != "$" else f"`{text}`"
    return f"{quote}{text}{quote}" if quote not in text else f"`{text}`"


def _python_list(values: list[str]) -> str:
    return f"({', '.join(values)}{',' if len(values) == 1 else ''})"


def _javascript_list(values: list[str]) -> str:
    return f"[{', '.join(values)}]"


RULE = WeaknessRule(
    name="sql-injection",
    cwes=frozenset({"CWE-89", "CWE-564"}),
    words=re.compile(r"\bSQL\b.{0,40}inject|inject.{0,40}\bSQL\b", re.IGNORECASE),
    detectors={"python": _python, "javascript": _javascript},
    summary="Give values to the database apart from the query",
)
