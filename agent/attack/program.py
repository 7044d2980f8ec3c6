"""A proof of concept as text with literals that can be rewritten."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ast_grep_py import SgRoot

from agent.syntax.edits import Edit, apply
from agent.syntax.nodes import walk
from agent.syntax.source import parses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ast_grep_py import SgNode

_STRINGS: Final = frozenset({"string", "template_string"})
_OPENING: Final = re.compile(r"(?P<prefix>[A-Za-z]*)(?P<mark>'''|\"\"\"|'|\"|`)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A string literal: its characters between the marks as written, and how they are written."""

    node: SgNode
    raw: str
    start: int
    mark: str
    verbatim: bool
    formatted: bool

    @property
    def joined(self) -> bool:
        """Whether the literal is only a part of a longer text put together by an operator."""
        parent = self.node.parent()
        return parent is not None and parent.kind() in {
            "binary_operator",
            "binary_expression",
            "concatenated_string",
        }

    def put(self, text: str) -> str:
        """Return ``text`` as it is written inside this literal."""
        if not self.verbatim:
            text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
            text = text.replace(self.mark[0], f"\\{self.mark[0]}")
        if self.mark == "`":
            return text.replace("${", "\\${")
        return text.replace("{", "{{").replace("}", "}}") if self.formatted else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The parsed text of a proof of concept."""

    code: str
    language: str
    root: SgNode
    literals: tuple[Literal, ...]

    def edited(self, edits: Iterable[Edit]) -> str | None:
        """Return the changed text; None when nothing changed or the result does not parse."""
        text = apply(self.code, edits)
        if text is None or text == self.code or not parses(text, self.language):
            return None
        return text


def program_of(code: str, language: str) -> Program | None:
    """Return the parsed program, None for a language without a grammar here or text that does not parse."""
    if language not in {"python", "javascript", "typescript"} or not parses(code, language):
        return None
    root = SgRoot(code, language).root()
    literals = tuple(
        literal for node in walk(root) if node.kind() in _STRINGS and (literal := _literal(node))
    )
    return Program(code=code, language=language, root=root, literals=literals)


def _literal(node: SgNode) -> Literal | None:
    text = node.text()
    opening = _OPENING.match(text)
    if opening is None or not text.endswith(opening["mark"]):
        return None
    prefix = opening["prefix"].lower()
    return Literal(
        node=node,
        raw=text[opening.end() : len(text) - len(opening["mark"])],
        start=node.range().start.index + opening.end(),
        mark=opening["mark"],
        verbatim="r" in prefix,
        formatted="f" in prefix,
    )
