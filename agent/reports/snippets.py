"""The reporter's code: code blocks of a report with their language."""

from __future__ import annotations

import ast
import doctest
import re

from agent.domain.report import Snippet
from agent.untrusted.markdown import code_blocks

_LANGUAGES = {
    "py": "python",
    "python": "python",
    "python3": "python",
    "pycon": "python",
    "js": "javascript",
    "javascript": "javascript",
    "node": "javascript",
    "nodejs": "javascript",
    "jsx": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "ts": "typescript",
    "typescript": "typescript",
    "sh": "shell",
    "bash": "shell",
    "shell": "shell",
    "console": "shell",
    "shell-session": "shell",
    "zsh": "shell",
}
_JAVASCRIPT = re.compile(
    r"\brequire\s*\(|^[ \t]*(?:const|let|var)\s+[\w{\[]|=>|\bconsole\.log\("
    r"|^[ \t]*import[ \t].{1,500}[ \t]from\s+['\"]",
    re.MULTILINE,
)
_PYTHON_SIGNS = (ast.Import, ast.ImportFrom, ast.Call, ast.FunctionDef, ast.ClassDef)


_MOST = 200
"""Blocks of one report that are read: nobody writes more proofs, and each costs a parse."""


def snippets_of(markdown: str) -> tuple[Snippet, ...]:
    """Return the code blocks of ``markdown`` in their order, languages normalised or guessed."""
    return tuple(
        Snippet(language=language, code=_program(block.code, language))
        for block in code_blocks(markdown)[:_MOST]
        if block.code.strip()
        for language in (_LANGUAGES.get(block.info, block.info) or guess_language(block.code),)
    )


def guess_language(code: str) -> str:
    """Return ``python``, ``javascript`` or an empty string for an unlabelled block."""
    if ">>> " in code:
        return "python"
    if _JAVASCRIPT.search(code):
        return "javascript"
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return "python" if any(isinstance(node, _PYTHON_SIGNS) for node in ast.walk(tree)) else ""


def _program(code: str, language: str) -> str:
    """Turn an interactive session into a program; other code stays as it is."""
    if language == "python" and ">>> " in code:
        try:
            return doctest.script_from_examples(code)
        except ValueError:
            return code
    return code
