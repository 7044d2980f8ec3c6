"""Find the command lines of a comment, as a reader of the rendered comment sees them.

A CommonMark parser tells text from code, quotes and HTML, so what GitHub shows as a quote or as code is never
taken for a command. Rules that cannot change this (links, emphasis) are off: they cost time on hostile text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

COMMAND = "/patch"

_LINE = re.compile(r"^/patch(?=[ \t]|$)", re.IGNORECASE | re.MULTILINE)
_SENTINEL = "\ue000"
_MARKED = re.compile(rf"{COMMAND}{_SENTINEL}(\d+){_SENTINEL}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """What follows ``/patch`` on its line, and the lines below it up to the next command."""

    rest: str
    below: str


def command_lines(body: str) -> tuple[CommandLine, ...]:
    """Return the command lines of a comment in their order."""
    lines = re.split(r"\r\n|\r|\n", body.replace(_SENTINEL, ""))
    marked = [
        _LINE.sub(f"{COMMAND}{_SENTINEL}{number}{_SENTINEL}", line) for number, line in enumerate(lines)
    ]
    if marked == lines:
        return ()
    found = list(_visible("\n".join(marked)))
    ends = [*found[1:], len(lines)]
    return tuple(
        CommandLine(
            rest=lines[start][len(COMMAND) :].strip(),
            below="\n".join(lines[start + 1 : end]).strip(),
        )
        for start, end in zip(found, ends, strict=False)
    )


def _visible(text: str) -> Iterator[int]:
    """Yield the numbers of the marked lines that stand outside quotes, code and HTML."""
    parser = MarkdownIt("commonmark", {"html": True})
    parser.disable(["link", "image", "emphasis", "autolink", "entity"])
    quotes = 0
    for token in parser.parse(text):
        quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        if token.type == "inline" and not quotes:
            yield from _starts(token.children or [])


def _starts(children: list[Token]) -> Iterator[int]:
    """Yield the numbers of the marked lines that are plain text; only a line's start is ever marked."""
    for child in children:
        match = _MARKED.match(child.content) if child.type == "text" else None
        if match:
            yield int(match.group(1))
