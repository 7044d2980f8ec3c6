"""Standard library imports: the name a module is known by in a file, with the edit that adds it if missing."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from agent.syntax.edits import Edit, insert_lines_after, insert_lines_before
from agent.syntax.nodes import walk
from agent.syntax.style import end_of_statement, quoted

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from agent.syntax.source import Source


def python_module(source: Source, module: str) -> tuple[str, tuple[Edit, ...]]:
    """Return the name ``module`` has at module level and the edit that imports it when it is not there.

    A name the file uses for something else is left alone: the import then takes an alias.
    """
    statements = source.root.children()
    for statement in statements:
        if statement.kind() == "import_statement" and (name := _python_name(statement, module)):
            return name, ()
    alias = "" if not _is_bound(source, module) else f"_{module}"
    line = f"import {module} as {alias}" if alias else f"import {module}"
    return alias or module, (_python_insertion(source, statements, module, line),)


def _python_name(statement: SgNode, module: str) -> str:
    """Return the name under which an import statement binds ``module``, or an empty string."""
    for item in statement.named_children():
        if item.kind() == "aliased_import":
            name, alias = item.field("name"), item.field("alias")
            if name is not None and alias is not None and name.text() == module:
                return alias.text()
        elif item.text() == module or item.text().startswith(f"{module}."):
            return module
    return ""


def _is_bound(source: Source, name: str) -> bool:
    """Whether the file uses ``name`` as a name of its own."""
    return any(
        node.text() == name and not _is_attribute(node)
        for node in walk(source.root)
        if node.kind() == "identifier"
    )


def _is_attribute(node: SgNode) -> bool:
    parent = node.parent()
    if parent is None or parent.kind() not in {"attribute", "keyword_argument", "dotted_name"}:
        return False
    owner = parent.field("object") or parent.field("value")
    return owner is None or owner.range().start.index != node.range().start.index


def _python_insertion(source: Source, statements: list[SgNode], module: str, line: str) -> Edit:
    """Return where the import goes: in order among its like, else below the docstring and future imports."""
    plain = [node for node in statements if node.kind() == "import_statement"]
    for node in plain:
        first = node.named_children()[0].text() if node.named_children() else ""
        if first.casefold() > module.casefold():
            return insert_lines_before(source, node, [line])
    if plain:
        return insert_lines_after(source, plain[-1], [line])
    imports = [node for node in statements if node.kind() == "import_from_statement"]
    if imports:
        return insert_lines_before(source, imports[0], [line, *_gap(imports[0])])
    head = _python_head(statements)
    if head is not None:
        return insert_lines_after(source, head, ["", line])
    start = re.match(r"(?:#[^\n]*\n|[ \t]*\r?\n)*", source.text)
    at = start.end() if start is not None else 0
    return Edit(start=at, end=at, text=f"{line}{source.newline}{source.newline}")


def _gap(statement: SgNode) -> tuple[str, ...]:
    """Return the blank line between an import of the standard library and one of another."""
    module = statement.field("module_name")
    own = module is not None and module.text().split(".")[0] in sys.stdlib_module_names
    return () if own else ("",)


def _python_head(statements: list[SgNode]) -> SgNode | None:
    """Return the last of docstring and future imports."""
    head = None
    for index, node in enumerate(node for node in statements if node.kind() != "comment"):
        child = node.child(0)
        docstring = (
            index == 0
            and node.kind() == "expression_statement"
            and child is not None
            and child.kind() == "string"
        )
        if not docstring and node.kind() != "future_import_statement":
            break
        head = node
    return head


def javascript_module(source: Source, module: str) -> tuple[str, tuple[Edit, ...]]:
    """Return the name a Node module has at the top of the file and the edit that adds it when missing."""
    statements = [node for node in source.root.children() if node.kind() not in {"comment", "hash_bang_line"}]
    known = re.compile(
        rf"""(?:^|[\s,])(?P<cjs>[\w$]+)\s*=\s*require\(\s*(['"])(?:node:)?{module}\2\s*\)(?!\s*[.(])"""
        rf"""|import\s+(?:\*\s*as\s+)?(?P<esm>[\w$]+)\s*(?:,[^;'"]*)?from\s*(['"])(?:node:)?{module}\4"""
    )
    for node in statements:
        match = known.search(node.text())
        if match is not None and node.kind() in {
            "variable_declaration",
            "lexical_declaration",
            "import_statement",
        }:
            return match["cjs"] or match["esm"], ()
    taken = any(
        node.text() == module
        for node in walk(source.root)
        if node.kind() in {"identifier", "shorthand_property_identifier_pattern"}
    )
    name = f"node{module.title().replace('_', '')}" if taken else module
    return name, (_javascript_insertion(source, statements, name, module),)


def _javascript_insertion(source: Source, statements: list[SgNode], name: str, module: str) -> Edit:
    """Return where the module is required: below the last of its like, else at the top of the code."""
    imports = [node for node in statements if node.kind() == "import_statement"]
    requires = [node for node in statements if _is_require(node)]
    end = end_of_statement(source)
    if imports:
        return insert_lines_after(source, imports[-1], [f"import {name} from {quoted(source, module)}{end}"])
    modern = not requires or requires[-1].kind() == "lexical_declaration"
    if modern and re.search(r"^\s*(?:const|let)\s", source.text, re.MULTILINE) is None:
        modern = False
    line = f"{'const' if modern else 'var'} {name} = require({quoted(source, module)}){end}"
    if requires:
        return insert_lines_after(source, requires[-1], [line])
    if statements and re.fullmatch(r"""(['"])use strict\1;?""", statements[0].text()):
        return insert_lines_after(source, statements[0], [line])
    if statements:
        return insert_lines_before(source, statements[0], [line])
    return Edit(start=len(source.text), end=len(source.text), text=line + source.newline)


def _is_require(node: SgNode) -> bool:
    return (
        node.kind() in {"variable_declaration", "lexical_declaration"}
        and re.search(r"=\s*require\(", node.text()) is not None
        and "function" not in node.text()
        and "=>" not in node.text()
    )
