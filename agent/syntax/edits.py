"""Edits of a text by character span, applied together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ast_grep_py import SgNode

    from agent.syntax.source import Source


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Edit:
    """Replace the characters ``start:end`` by ``text``; an insertion has ``start == end``."""

    start: int
    end: int
    text: str


def replace(node: SgNode, text: str) -> Edit:
    """Return the edit that puts ``text`` in the place of ``node``."""
    span = node.range()
    return Edit(start=span.start.index, end=span.end.index, text=text)


def insert_lines_before(source: Source, node: SgNode, lines: Iterable[str]) -> Edit:
    """Return the edit that puts whole lines above the line of ``node``, at its indentation."""
    start = line_start(source.text, node.range().start.index)
    indent = indent_at(source.text, start)
    text = "".join(f"{indent if line else ''}{line}{source.newline}" for line in lines)
    return Edit(start=start, end=start, text=text)


def insert_lines_after(source: Source, node: SgNode, lines: Iterable[str]) -> Edit:
    """Return the edit that puts whole lines below the last line of ``node``, at its indentation."""
    start = line_start(source.text, node.range().start.index)
    indent = indent_at(source.text, start)
    end = source.text.find("\n", node.range().end.index)
    body = source.newline.join(f"{indent}{line}" for line in lines)
    if end < 0:
        return Edit(start=len(source.text), end=len(source.text), text=source.newline + body)
    return Edit(start=end + 1, end=end + 1, text=body + source.newline)


def line_start(text: str, index: int) -> int:
    """Return where the line of ``index`` begins."""
    return text.rfind("\n", 0, index) + 1


def indent_at(text: str, start: int) -> str:
    """Return the white space the line at ``start`` begins with."""
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]


def apply(text: str, edits: Iterable[Edit]) -> str | None:
    """Return the edited text, or None when two edits overlap; equal edits count once."""
    unique = list(dict.fromkeys(edits))
    ordered = sorted(unique, key=lambda edit: (edit.start, edit.end))
    pieces: list[str] = []
    at = 0
    for edit in ordered:
        if edit.start < at:
            return None
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])
