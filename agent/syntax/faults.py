"""Where a program text stops being one. Pure."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from ast_grep_py import SgRoot

from agent.syntax.nodes import walk
from agent.syntax.source import parses

if TYPE_CHECKING:
    from ast_grep_py import SgNode


def fault_of(text: str, language: str) -> tuple[int, str] | None:
    """Return line and words of the first syntax error, None when the text is whole."""
    if parses(text, language):
        return None
    if language == "python":
        return _python(text)
    broken = [node for node in walk(SgRoot(text, language).root()) if node.kind() == "ERROR"]
    if not broken:
        return text.count("\n") + 1, "something is left open or missing"
    inner = max(broken, key=_starts)
    return inner.range().start.line + 1, f"unexpected {inner.text()[:60]!r}"


def _starts(node: SgNode) -> int:
    return node.range().start.index


def _python(text: str) -> tuple[int, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError as error:
            return error.lineno or 1, error.msg
        except (ValueError, RecursionError) as error:
            return 1, str(error)
    raise AssertionError("a text that parses has no fault")
