"""What a program says, whatever its comments and white space: for telling patches apart. Pure."""

from __future__ import annotations

import ast
import hashlib
import warnings
from typing import TYPE_CHECKING

from ast_grep_py import SgRoot

from agent.syntax.nodes import walk
from agent.syntax.source import language_of, parses

if TYPE_CHECKING:
    from ast_grep_py import SgNode


def shape_of(path: str, content: bytes | None) -> str:
    """Return a digest that is equal for two versions of a file that differ in comments and white space only.

    A file that is of no known language or does not parse is read line by line, white space at the ends aside.
    """
    if content is None:
        return ""
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    language = language_of(path)
    if language is None or not parses(text.encode("utf-8", "replace").decode(), language):
        said = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    elif language == "python":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = ast.dump(ast.parse(text))
    else:
        root = SgRoot(text.encode("utf-8", "replace").decode(), language).root()
        said = "\n".join(_leaves(root))
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()


def _leaves(root: SgNode) -> list[str]:
    return [node.text() for node in walk(root) if not node.children() and node.kind() != "comment"]
