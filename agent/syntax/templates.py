"""Texts with values in them: f-strings, ``%``, ``.format``, concatenation and template literals, as holes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.syntax.edits import Edit, replace
from agent.syntax.nodes import arguments, callee

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_QUOTES: Final = ("'", '"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """A value inside a text.

    ``before`` and ``after`` are the literal characters around it; ``quotes`` is the mark that directly
    encloses it, empty when it stands free, ``?`` when it stands somewhere inside a quoted stretch.
    ``node`` is the value, ``marks`` the edits that take the enclosing quotes away.
    """

    node: SgNode
    before: str
    after: str
    quotes: str
    marks: tuple[Edit, ...] = ()

    @property
    def text(self) -> str:
        """Return the value as written."""
        return self.node.text()

    def wrapped(self, text: str) -> tuple[Edit, ...]:
        """Return the edits that put ``text`` in the value's place and drop quotes directly around it."""
        return (replace(self.node, text), *self.marks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a text in order: a literal stretch with its place in the file, or a value."""

    text: str = ""
    start: int = 0
    node: SgNode | None = None


def python_holes(node: SgNode) -> list[Hole] | None:
    """Return the holes of a Python text expression, or None when its parts cannot be told apart."""
    pieces = python_pieces(node)
    return holes_of(pieces) if pieces is not None else None


def holes_of(pieces: list[Piece]) -> list[Hole]:
    """Return the values of a text with how each is quoted."""
    found = []
    for index, piece in enumerate(pieces):
        if piece.node is None:
            continue
        before = "".join(part.text if part.node is None else "x" for part in pieces[:index])
        after = "".join(part.text if part.node is None else "x" for part in pieces[index + 1 :])
        quotes, marks = _enclosed(pieces, index, before)
        found.append(Hole(node=piece.node, before=before, after=after, quotes=quotes, marks=marks))
    return found


def _enclosed(pieces: list[Piece], index: int, before: str) -> tuple[str, tuple[Edit, ...]]:
    """Return the quotes around a value and the edits that remove them when nothing else is inside."""
    opened = _open_quote(before)
    if not opened:
        return "", ()
    left = pieces[index - 1]
    right = pieces[index + 1] if index + 1 < len(pieces) else Piece()
    if (
        left.text.endswith(opened)
        and right.text.startswith(opened)
        and left.node is None
        and right.node is None
    ):
        end = left.start + len(left.text)
        return opened, (
            Edit(start=end - 1, end=end, text=""),
            Edit(start=right.start, end=right.start + 1, text=""),
        )
    return "?", ()


def _open_quote(text: str) -> str:
    """Return the quotation mark still open at the end of a command or query text."""
    opened = ""
    for character in text:
        if character == opened:
            opened = ""
        elif character in _QUOTES and not opened:
            opened = character
    return opened


def python_pieces(node: SgNode) -> list[Piece] | None:
    """Return the parts of a Python text expression in order, None for a form that is not read."""
    kind = node.kind()
    if kind == "string":
        return _string_pieces(node)
    if kind == "parenthesized_expression" and len(node.named_children()) == 1:
        return python_pieces(node.named_children()[0])
    if kind == "concatenated_string":
        return _joined([_string_pieces(child) for child in node.named_children()])
    if kind == "binary_operator":
        return _operator_pieces(node)
    if kind == "call" and callee(node).endswith(".format"):
        return _format_pieces(node)
    return None


def _joined(parts: list[list[Piece] | None]) -> list[Piece] | None:
    pieces: list[Piece] = []
    for part in parts:
        if part is None:
            return None
        pieces += part
    return pieces


def _string_pieces(node: SgNode) -> list[Piece] | None:
    """Return the literal stretches and interpolations of one string; escapes make it unreadable here."""
    pieces = []
    for child in node.children():
        if child.kind() == "string_content":
            pieces.append(Piece(text=child.text(), start=child.range().start.index))
        elif child.kind() == "interpolation":
            if len(child.named_children()) != 1:
                return None
            pieces.append(Piece(node=child.named_children()[0]))
    return pieces


def _operator_pieces(node: SgNode) -> list[Piece] | None:
    left, operator, right = node.field("left"), node.field("operator"), node.field("right")
    if left is None or operator is None or right is None:
        return None
    if operator.text() == "+":
        first = (
            python_pieces(left)
            if left.kind() in {"string", "binary_operator", "concatenated_string"}
            else [Piece(node=left)]
        )
        last = (
            python_pieces(right) if right.kind() in {"string", "concatenated_string"} else [Piece(node=right)]
        )
        return _joined([first, last])
    if operator.text() != "%":
        return None
    values = right.named_children() if right.kind() == "tuple" else [right]
    return _filled(left, re.compile(r"%[sr]"), re.compile(r"%%|%[^sr]"), list(values))


def _format_pieces(node: SgNode) -> list[Piece] | None:
    target = node.field("function")
    text = target.field("object") if target is not None else None
    if text is None or any(
        child.kind() not in {"identifier", "attribute", "call", "subscript"} for child in arguments(node)
    ):
        return None
    return _filled(text, re.compile(r"\{\}"), re.compile(r"\{[^}]|\}\}"), arguments(node))


def _filled(
    template: SgNode, hole: re.Pattern[str], other: re.Pattern[str], values: list[SgNode]
) -> list[Piece] | None:
    """Return the template's stretches with the values in their places, None when they do not match up."""
    parts = python_pieces(template)
    if parts is None or any(part.node is not None for part in parts):
        return None
    pieces: list[Piece] = []
    left = list(values)
    for part in parts:
        if other.search(part.text):
            return None
        at = 0
        for match in hole.finditer(part.text):
            if not left:
                return None
            pieces += [
                Piece(text=part.text[at : match.start()], start=part.start + at),
                Piece(node=left.pop(0)),
            ]
            at = match.end()
        pieces.append(Piece(text=part.text[at:], start=part.start + at))
    return None if left else pieces


def javascript_pieces(node: SgNode) -> list[Piece] | None:
    """Return the parts of a JavaScript text expression in order, None for a form that is not read."""
    kind = node.kind()
    if kind == "string":
        return [Piece(text=node.text()[1:-1], start=node.range().start.index + 1)]
    if kind == "parenthesized_expression" and len(node.named_children()) == 1:
        return javascript_pieces(node.named_children()[0])
    if kind == "template_string":
        pieces = []
        for child in node.children():
            if child.kind() == "string_fragment":
                pieces.append(Piece(text=child.text(), start=child.range().start.index))
            elif child.kind() == "template_substitution":
                pieces.append(Piece(node=child.named_children()[0]))
            elif child.kind() == "escape_sequence":
                return None
        return pieces
    left, operator, right = node.field("left"), node.field("operator"), node.field("right")
    if (
        kind == "binary_expression"
        and operator is not None
        and operator.text() == "+"
        and left is not None
        and right is not None
    ):
        texts = {"string", "template_string", "binary_expression"}
        first = javascript_pieces(left) if left.kind() in texts else [Piece(node=left)]
        last = (
            javascript_pieces(right) if right.kind() in texts - {"binary_expression"} else [Piece(node=right)]
        )
        return _joined([first, last])
    return None
