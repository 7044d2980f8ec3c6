"""A source file as rules see it: text, tree, and the way its bytes were written."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import tree_sitter
import tree_sitter_javascript
import tree_sitter_typescript
from ast_grep_py import SgRoot

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from agent.domain.patch import SourceFile

LANGUAGES: Final = {
    ".py": "python",
    ".js": "javascript",
    ".cjs": "javascript",
    ".mjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}
_BOM: Final = b"\xef\xbb\xbf"
_GRAMMARS: Final = {
    "javascript": tree_sitter.Language(tree_sitter_javascript.language()),
    "typescript": tree_sitter.Language(tree_sitter_typescript.language_typescript()),
    "tsx": tree_sitter.Language(tree_sitter_typescript.language_tsx()),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A decoded file; offsets of ``root`` are character offsets of ``text``, which keeps its line ends."""

    path: str
    language: str
    text: str
    encoding: str
    bom: bytes
    root: SgNode

    @property
    def newline(self) -> str:
        """Return the line end most of the file uses."""
        return "\r\n" if 2 * self.text.count("\r\n") > self.text.count("\n") else "\n"

    @property
    def unit(self) -> str:
        """Return one level of indentation as the file writes it."""
        steps = [
            len(line) - len(line.lstrip(" ")) for line in self.text.splitlines() if line.startswith("  ")
        ]
        tabs = sum(line.startswith("\t") for line in self.text.splitlines())
        if tabs > len(steps):
            return "\t"
        return " " * min((step for step in steps if step in {2, 4, 8}), default=4)

    @property
    def width(self) -> int:
        """Return how long lines may get here: what the file does already, between 79 and 120."""
        return min(120, max(79, *(len(line) for line in self.text.splitlines() or [""])))

    def encode(self, text: str) -> bytes:
        """Return ``text`` as bytes in the file's own encoding and with its byte order mark."""
        return self.bom + text.encode(self.encoding)


def language_of(path: str) -> str | None:
    """Return the language of a path by its ending, or None when no rule reads it."""
    return LANGUAGES.get(PurePosixPath(path).suffix.lower())


def read(file: SourceFile) -> Source | None:
    """Return the parsed file; None when it is of no known language, not text, or does not parse."""
    language = language_of(file.path)
    if language is None or b"\0" in file.content:
        return None
    bom = _BOM if file.content.startswith(_BOM) else b""
    body = file.content.removeprefix(_BOM)
    decoded = _decode(body, language)
    if decoded is None or not parses(decoded[0], language):
        return None
    text, encoding = decoded
    root = SgRoot(text, language).root()
    return Source(path=file.path, language=language, text=text, encoding=encoding, bom=bom, root=root)


def _decode(body: bytes, language: str) -> tuple[str, str] | None:
    """Return text and encoding. Latin-1 keeps every byte, so unknown encodings survive untouched."""
    encodings = ["utf-8", "latin-1"]
    if language == "python":
        try:
            encodings = [tokenize.detect_encoding(io.BytesIO(body).readline)[0]]
        except SyntaxError:
            return None
    for encoding in encodings:
        try:
            text = body.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        return (text, encoding) if text.encode(encoding) == body else None
    return None


def parses(text: str, language: str) -> bool:
    """Whether ``text`` is syntactically whole."""
    if language == "python":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the project's own strings are not our topic
            try:
                ast.parse(text)
            except (SyntaxError, ValueError, RecursionError):
                return False
        return True
    parser = tree_sitter.Parser(_GRAMMARS[language])
    return not parser.parse(text.encode()).root_node.has_error
