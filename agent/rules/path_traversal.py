"""Path traversal: a joined path leaves its folder, or the check that it does not is wrong (Python)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules import path_traversal_js
from agent.rules.containment import containment_fixes
from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import Edit, indent_at, insert_lines_after, insert_lines_before, line_start, replace
from agent.syntax.imports import python_module
from agent.syntax.nodes import (
    arguments,
    callee,
    function_of,
    identifiers,
    is_constant,
    line_of,
    statement_of,
    symbol_of,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_JOINS: Final = frozenset({"os.path.join", "path.join", "posixpath.join"})
_CLEANERS: Final = re.compile(r"\b(?:abspath|realpath|normpath)$")
_CONFINED: Final = re.compile(r"\bbasename\(|normpath\(.*\.sep\b")
_CHECKED: Final = re.compile(
    r"commonpath|commonprefix|is_relative_to|relative_to|\.startswith\(|safe_join|secure_filename|safe_path"
)
# where names of an archive become files, links may come from outside too
_LINKS: Final = re.compile(r"symlink|readlink|islnk|issym|\btar|\bzip|archive|extract", re.IGNORECASE)
_MISSING: Final = r"(?:os\.)?(?:path\.)?(?:exists|lexists|isfile|isdir)"
_TOUCHES: Final = re.compile(
    r"(?:^|\.)(?:open|exists|lexists|isfile|isdir|stat|lstat|remove|unlink|rename|replace|makedirs|mkdir|listdir|scandir"
    r"|send_file|FileResponse|read_text|read_bytes|write_text|write_bytes|copy\w*|move|rmtree|symlink|link|chmod|walk)$"
)


def detect(source: Source) -> Iterator[Fix | Refusal]:
    """Yield wrong containment checks first, then joins that nothing checks."""
    yield from containment_fixes(source)
    for node in walk(source.root):
        if node.kind() == "call" and callee(node) in _JOINS and _is_reached(node):
            yield from _join_fixes(source, node)


def _is_reached(join: SgNode) -> bool:
    """Whether a joined name may be foreign and the result touches a file, with no check around."""
    parts = arguments(join)
    function = function_of(join)
    if (
        len(parts) < 2  # noqa: PLR2004 (a root and a name)
        or parts[0].text().endswith(".sep")
        or function is None
        or _CHECKED.search(function.text())
    ):
        return False
    foreign = [part for part in parts[1:] if not is_constant(part) and not _CONFINED.search(part.text())]
    known = _local_names(function)
    return any(identifiers(part) & known for part in foreign) and _touches_file(join, function)


def _local_names(function: SgNode) -> frozenset[str]:
    """Return parameters and local variables, ``self`` and ``cls`` left out."""
    names: set[str] = set()
    for node in walk(function):
        holder = None
        if node.kind() in {"parameters", "lambda_parameters"}:
            holder = node
        elif node.kind() in {"assignment", "for_statement", "for_in_clause"}:
            holder = node.field("left")
        if holder is not None:
            names |= identifiers(holder)
    return frozenset(names - {"self", "cls"})


def _target(join: SgNode) -> tuple[str, SgNode] | None:
    """Return variable and value of the assignment that holds the joined path, cleaned or not."""
    value = join
    for above in join.ancestors():
        if above.kind() == "call" and _CLEANERS.search(callee(above)):
            value = above
        elif above.kind() == "assignment":
            left, right = above.field("left"), above.field("right")
            same = right is not None and right.range().start.index == value.range().start.index
            return (left.text(), above) if same and left is not None and left.kind() == "identifier" else None
        elif above.kind() != "argument_list":
            return None
    return None


def _touches_file(join: SgNode, function: SgNode) -> bool:
    target = _target(join)
    for node in walk(function):
        if node.kind() == "return_statement" and target is not None and target[0] in identifiers(node):
            return True
        if node.kind() == "call" and _TOUCHES.search(callee(node)):
            handed = [argument.text() for argument in arguments(node)]
            owner = callee(node).rsplit(".", 1)[0]
            if join.text() in handed or (target is not None and target[0] in {*handed, owner}):
                return True
    return False


def _join_fixes(source: Source, join: SgNode) -> Iterator[Fix | Refusal]:
    """Yield the refusal of escaping paths, and as another form their confinement."""
    statement = statement_of(join)
    fixed, parts = _prefix(arguments(join))
    root = (
        fixed[0].text() if len(fixed) == 1 else f"{callee(join)}({', '.join(node.text() for node in fixed)})"
    )
    reason = f"`{parts[0].text()}` may hold `..` or be absolute, and then the path leaves `{root}`"
    target = _target(join)
    pure = not any(node.kind() == "call" for part in arguments(join) for node in walk(part))
    module, needed = python_module(source, "os")
    if statement is not None and (target is not None or pure):
        subject = target[0] if target is not None else join.text()
        lines = _refusal(source, statement, module, root, subject)
        place = insert_lines_after if target is not None else insert_lines_before
        edits = (place(source, statement, lines), *needed)
        yield Fix(line=line_of(join), symbol=symbol_of(join), edits=edits, reason=reason, form="refuse")
    else:
        yield Refusal(line=line_of(join), reason=f"{reason}; no statement can hold a check here")
    yield Fix(
        line=line_of(join),
        symbol=symbol_of(join),
        edits=(*_confinement(module, parts), *needed),
        reason=reason,
        form="confine",
    )


def _prefix(parts: list[SgNode]) -> tuple[list[SgNode], list[SgNode]]:
    """Return the root with the constants that follow it, and the rest."""
    at = next(index for index, part in enumerate(parts[1:], 1) if not is_constant(part))
    return parts[:at], parts[at:]


def _refusal(source: Source, statement: SgNode, module: str, root: str, subject: str) -> list[str]:
    """Return the lines that refuse ``subject`` outside ``root``: the next round in a loop, else as the function does.

    Links that the operator put below the root are followed as before, unless the function unpacks an archive.
    """
    indent = indent_at(source.text, line_start(source.text, statement.range().start.index))
    function = function_of(statement)
    unpacks = function is not None and _LINKS.search(function.text()) is not None
    whole = f"{module}.path.{'realpath' if unpacks else 'abspath'}"
    base, path = f"{whole}({root})", f"{whole}({subject})"
    one = f"if {module}.path.commonpath([{base}, {path}]) != {base}:"
    unit = source.unit
    head = [one]
    if len(indent) + len(one) > source.width:
        head = [f"if {module}.path.commonpath(", f"{unit}[{base}, {path}]", f") != {base}:"]
    loops = {"for_statement", "while_statement", "function_definition"}
    around = next((above for above in statement.ancestors() if above.kind() in loops), None)
    if around is not None and around.kind() != "function_definition":
        return [*head, f"{unit}continue"]
    absent = _absent(statement, subject)
    return [
        *head,
        f"{unit}{absent}" if absent else f'{unit}raise {_error_of(statement)}("path leaves its directory")',
    ]


def _absent(statement: SgNode, subject: str) -> str:
    """Return the constant the function answers with where ``subject`` is no file, so that an outside one is none."""
    function = function_of(statement)
    found = re.search(
        rf"if not {_MISSING}\(\s*{re.escape(subject)}\s*\):\s*(?P<answer>return(?: None| False|))\s*(?:\n|$)",
        function.text() if function is not None else "",
    )
    return found["answer"] if found is not None else ""


def _error_of(statement: SgNode) -> str:
    """Return the error the callers know: one handled around here, or one the function raises with a message."""
    function = function_of(statement)
    for above in statement.ancestors():
        if above.kind() == "function_definition":
            break
        handled = re.search(r"\n\s*except \(?(OSError|IOError|FileNotFoundError|ValueError)\b", above.text())
        if above.kind() == "try_statement" and handled is not None:
            return handled[1]
    for node in walk(function) if function is not None else ():
        if node.kind() == "raise_statement":
            match = re.match(r"""raise ([A-Z]\w*(?:Error|Exception))\(f?['"]""", node.text())
            if match is not None:
                return match[1]
    return "ValueError"


def _confinement(module: str, parts: list[SgNode]) -> Iterator[Edit]:
    """Yield edits that resolve each foreign part below the root, as a file system root does with ``..``."""
    for part in parts:
        if not is_constant(part):
            sep = f"{module}.sep"
            inside = f"{module}.path.normpath({module}.path.join({sep}, {part.text()})).lstrip({sep})"
            yield replace(part, inside)


RULE = WeaknessRule(
    name="path-traversal",
    cwes=frozenset({"CWE-22", "CWE-23", "CWE-24", "CWE-29", "CWE-35", "CWE-36", "CWE-59", "CWE-73"}),
    words=re.compile(
        r"(?:path|directory|dir)[\s-]*traversal|\.\./|zip[\s-]*slip|arbitrary file (?:read|write)",
        re.IGNORECASE,
    ),
    detectors={"python": detect, "javascript": path_traversal_js.detect},
    summary="Keep paths inside their folder",
)
