"""Path traversal in JavaScript: a joined path leaves its folder, or its check is wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal
from agent.syntax.edits import insert_lines_after, insert_lines_before, replace
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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.edits import Edit
    from agent.syntax.source import Source

_JOINS: Final = frozenset({"path.join", "path.resolve", "Path.join", "Path.resolve"})
_CONFINED: Final = re.compile(r"\.join\([\w$]+\.sep,")
_CHECKED: Final = re.compile(
    r"\.relative\(|\.startsWith\(|isPathInside|\.indexOf\((?:[\w$.]+|[\w.]+\([^()]*\))\)\s*[!=]==?\s*0|\.indexOf\(\s*['\"`]\.\."
)
_TOUCHES: Final = re.compile(
    r"(?:^|\.)(?:readFile\w*|createReadStream|writeFile\w*|createWriteStream|stat\w*|lstat\w*|access\w*|exists\w*|open\w*"
    r"|unlink\w*|rm\w*|mkdir\w*|makeDir|mkdirp\w*|outputFile\w*|ensure\w*|copy\w*|rename\w*|symlink\w*|link\w*|sendFile|send|readdir\w*)$"
)
_SHORT: Final = 90
_LINKS: Final = re.compile(r"(?:^|\.)(?:symlink|link)(?:Sync)?$")
_TARGETS: Final = re.compile(r"link(?:name|path|target)?$", re.IGNORECASE)


def detect(source: Source) -> Iterator[Fix | Refusal]:
    """Yield wrong containment checks, then joins that nothing checks, and the links such joins make."""
    for node in walk(source.root):
        if node.kind() != "call_expression":
            continue
        yield from _prefix_checks(node)
        if callee(node) in _JOINS and len(arguments(node)) > 1:
            yield from _join_fixes(source, node)


def _prefix_checks(call: SgNode) -> Iterator[Fix]:
    """Yield ``file.startsWith(root)`` and ``file.indexOf(root) === 0`` with no separator after the root."""
    target = call.field("function")
    path = target.field("object") if target is not None and target.kind() == "member_expression" else None
    handed = arguments(call)
    if path is None or len(handed) != 1 or not re.search(r"\.(?:startsWith|indexOf)$", callee(call)):
        return
    parent = call.parent()
    if callee(call).endswith("indexOf") and (parent is None or not re.search(r"[!=]==?\s*0$", parent.text())):
        return
    root = handed[0]
    module = _path_module(call, path.text())
    if (
        module is None
        or root.kind() not in {"identifier", "member_expression"}
        or _ends_in_separator(call, root)
    ):
        return
    name = callee(call).rsplit(".", 1)[-1]
    yield Fix(
        line=line_of(call),
        symbol=symbol_of(call),
        edits=(
            replace(
                call, f"({path.text()} + {module}.sep).{name}({module}.join({root.text()}, {module}.sep))"
            ),
        ),
        reason=f"without a separator after `{root.text()}` a sibling folder whose name begins alike passes",
        form="contain",
    )


def _path_module(node: SgNode, name: str) -> str | None:
    """Return the name of the path module that made variable ``name``, or None when it is no path."""
    found = re.search(
        rf"(?<![\w$.]){re.escape(name)}\s*=\s*([Pp]ath)\.(?:join|resolve|normalize)\(",
        node.get_root().root().text(),
    )
    return found[1] if found is not None else None


def _ends_in_separator(node: SgNode, root: SgNode) -> bool:
    made = re.findall(rf"(?<![\w$.]){re.escape(root.text())}\s*=\s*([^;\n]+)", node.get_root().root().text())
    return any(re.search(r"\bsep\b|['\"`]/['\"`]", value) for value in made)


def _join_fixes(source: Source, join: SgNode) -> Iterator[Fix | Refusal]:
    """Yield the refusal of escaping paths (with the links made from them), and their confinement."""
    function = function_of(join)
    root, *parts = arguments(join)
    foreign = [part for part in parts if not is_constant(part) and not _CONFINED.search(part.text())]
    if root.text().endswith(".sep"):
        return
    if (
        function is None
        or not foreign
        or (root.text() == "__dirname" and len(parts) > 1 and is_constant(parts[0]) is False)
    ):
        return
    if _CHECKED.search(function.text()) or "basename(" in join.text() or not _is_own(foreign, function):
        return
    target = _target(join)
    if not _touches_file(join, target, function):
        return
    reason = f"`{foreign[-1].text()}` may hold `..`, and then the path leaves `{root.text()}`"
    statement = statement_of(join)
    module = callee(join).split(".", maxsplit=1)[0]
    pure = not any(node.kind() == "call_expression" for part in arguments(join) for node in walk(part))
    if statement is not None and (target or pure):
        test = _escapes(source, module, root.text(), target or join.text())
        place = insert_lines_after if target else insert_lines_before
        edits = [place(source, statement, _check(source, test, _refusal(source, function)))]
        edits += _link_edits(source, function, module, root.text(), target)
        yield Fix(
            line=line_of(join), symbol=symbol_of(join), edits=tuple(edits), reason=reason, form="refuse"
        )
    else:
        yield Refusal(line=line_of(join), reason=f"{reason}; no statement can hold a check here")
    if callee(join).endswith("join"):
        confined = tuple(replace(part, f"{module}.join({module}.sep, {part.text()})") for part in foreign)
        yield Fix(line=line_of(join), symbol=symbol_of(join), edits=confined, reason=reason, form="confine")


def _is_own(foreign: list[SgNode], function: SgNode) -> bool:
    """Whether a foreign part is computed from names of the function around, not from the environment."""
    return any("process." not in part.text() and "__dirname" not in part.text() for part in foreign) and bool(
        function
    )


def _target(join: SgNode) -> str:
    """Return the variable the join is assigned to, or an empty string."""
    parent = join.parent()
    if parent is None or parent.kind() not in {"variable_declarator", "assignment_expression"}:
        return ""
    left = parent.field("name") or parent.field("left")
    return left.text() if left is not None and left.kind() == "identifier" else ""


def _touches_file(join: SgNode, target: str, function: SgNode) -> bool:
    for node in walk(function):
        if node.kind() == "call_expression" and _TOUCHES.search(callee(node)):
            handed = [argument.text() for argument in arguments(node)]
            if join.text() in handed or (
                target
                and any(re.search(rf"(?<![\w$.]){re.escape(target)}(?![\w$])", text) for text in handed)
            ):
                return True
    return False


def _escapes(source: Source, module: str, root: str, path: str) -> str:
    """Return the condition that ``path`` lies outside ``root``."""
    return f"{module}.relative({root}, {path}).split({module}.sep)[0] === {quoted(source, '..')}"


def _refusal(source: Source, function: SgNode) -> str:
    """Return the statement that refuses in the manner of the function: response, callback or error."""
    parameters = function.field("parameters")
    names = [node.text() for node in parameters.named_children()] if parameters is not None else []
    end = end_of_statement(source)
    error = f"new Error({quoted(source, 'Refusing a path outside of its directory')})"
    response = next((name for name in names if name in {"res", "response"}), None)
    if response is not None:
        return f"{{ {response}.statusCode = 403; return {response}.end(); }}"
    if names and names[-1] in {"cb", "callback", "done", "next"}:
        return f"return {names[-1]}({error}){end}"
    return f"throw {error}{end}"


def _check(source: Source, test: str, action: str) -> list[str]:
    """Return an if statement, on one line where it stays short."""
    one = f"if ({test}) {action}"
    if len(one) <= _SHORT or action.startswith("{"):
        return [one]
    return [f"if ({test}) {{", f"{source.unit}{action}", "}"]


def _link_edits(source: Source, function: SgNode, module: str, root: str, target: str) -> Iterator[Edit]:
    """Yield checks of link targets: a link out of the folder lets a later member be written through it."""
    for node in walk(function):
        if node.kind() != "call_expression" or not _LINKS.search(callee(node)) or not target:
            continue
        handed = arguments(node)
        statement = statement_of(node)
        if (
            len(handed) < 2  # noqa: PLR2004 (target and place)
            or handed[1].text() != target
            or statement is None
            or not _TARGETS.search(handed[0].text())
        ):
            continue
        symbolic = "symlink" in callee(node)
        start = f"{module}.dirname({target}), " if symbolic else f"{root}, "
        test = _escapes(source, module, root, f"{module}.resolve({start}{handed[0].text()})")
        owner = function_of(node) or function
        yield insert_lines_before(source, statement, _check(source, test, _refusal(source, owner)))
