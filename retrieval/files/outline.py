"""The definitions of a source file with their lines. Pure; grammars come from ``grammars``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.files.grammars import GRAMMARS, parsed_definitions
from retrieval.files.kinds import suffix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A definition; lines count from 1 and include both ends. ``name`` is qualified: ``Class.method``."""

    name: str
    kind: str
    start_line: int
    end_line: int


MODULE = "module"
_MOST = 4_000
_WINDOW = 60
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|"
)
_MODIFIERS += r"unsafe|extern|inline|virtual|override|open|sealed|data|partial|local)\s+)*"
_KEYWORDS = {
    "class": "class", "interface": "class", "struct": "class", "enum": "class", "trait": "class", "impl": "class",
    "module": "class", "namespace": "class", "object": "class", "record": "class", "defmodule": "class",
    "def": "function", "func": "function", "fn": "function", "function": "function", "sub": "function",
    "procedure": "function", "proc": "function", "defp": "function", "defmacro": "function", "macro": "function",
    "fun": "function", "type": "class",
}  # fmt: skip
_KEYWORD = re.compile(
    rf"^(?P<indent>[ \t]*){_MODIFIERS}(?P<word>{'|'.join(_KEYWORDS)})\b\s*(?:\([^)]*\)\s*|<[^>]*>\s*)?"
    r"(?P<name>[A-Za-z_$][\w$.:]*)"
)
_CURLY = re.compile(
    r"^(?P<indent>[ \t]{0,8})(?!return\b|else\b|new\b|throw\b|if\b|for\b|while\b|switch\b)"
    r"[A-Za-z_][\w<>\[\],.:*&\s]{0,80}?[\s*&](?P<name>~?[A-Za-z_]\w*)\s*\([^;{}()]{0,300}\)[^;{}()=]{0,60}\{?\s*$"
)
_CURLY_SUFFIXES = frozenset(
    {"c", "h", "cc", "cpp", "hpp", "cxx", "java", "cs", "m", "mm", "php", "groovy", "scala"}
)
_HEADING = re.compile(r"^#{1,4}\s+(?P<name>\S.*)$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+])\1{2,}\s*$")
_HEADED = frozenset({"md", "markdown", "rst", "txt", "adoc"})


def outline(path: str, text: str) -> tuple[Definition, ...]:
    """Return the definitions of a file in order, then windows over the lines outside of every definition."""
    ending = suffix(path)
    if ending in GRAMMARS:
        found = [
            Definition(name=n, kind=k, start_line=s, end_line=e)
            for n, k, s, e in parsed_definitions(ending, text)
        ]
    else:
        lines = text.split("\n")
        starts = _headings(lines) if ending in _HEADED else _keywords(lines, curly=ending in _CURLY_SUFFIXES)
        found = list(_spans(list(starts), len(lines)))
    found = found[:_MOST]
    return (*found, *_windows(found, text.count("\n") + 1))


def _keywords(lines: Sequence[str], *, curly: bool) -> Iterator[tuple[int, int, str, str]]:
    """Yield ``(line, indent, name, kind)`` of what looks like a definition in most languages."""
    for number, line in enumerate(lines, start=1):
        if len(line) > 400:  # noqa: PLR2004 - no definition starts on such a line
            continue
        if match := _KEYWORD.match(line):
            yield number, len(match["indent"].expandtabs(4)), match["name"], _KEYWORDS[match["word"]]
        elif curly and "(" in line and (match := _CURLY.match(line)):
            yield number, len(match["indent"].expandtabs(4)), match["name"], "function"


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str, str]]:
    for number, line in enumerate(lines, start=1):
        if match := _HEADING.match(line):
            yield number, 0, match["name"].strip()[:80], "section"
        elif number < len(lines) and line.strip() and _UNDERLINE.match(lines[number]) and len(line) < 200:  # noqa: PLR2004
            yield number, 0, line.strip()[:80], "section"


def _spans(starts: Sequence[tuple[int, int, str, str]], last: int) -> Iterator[Definition]:
    """Yield definitions that end where the next one begins at the same depth or above."""
    ends = [last] * len(starts)
    open_at: list[int] = []
    for at, (line, indent, _, _) in enumerate(starts):
        while open_at and starts[open_at[-1]][1] >= indent:
            ends[open_at.pop()] = line - 1
        open_at.append(at)
    parents: list[tuple[int, str]] = []
    for (line, indent, name, kind), end in zip(starts, ends, strict=True):
        while parents and parents[-1][0] >= indent:
            parents.pop()
        qualified = ".".join((*(parent for _, parent in parents[-1:]), name))
        yield Definition(name=qualified, kind=kind, start_line=line, end_line=max(line, end))
        if kind == "class":
            parents.append((indent, name))


def _windows(found: Sequence[Definition], last: int) -> Iterator[Definition]:
    """Yield windows of at most 60 lines over what no definition covers."""
    covered = bytearray(last + 2)
    for definition in found:
        covered[definition.start_line : definition.end_line + 1] = b"\1" * (
            min(definition.end_line, last) - definition.start_line + 1
        )
    start = None
    for line in range(1, last + 2):
        free = line <= last and not covered[line]
        if free and start is None:
            start = line
        if start is not None and (not free or line - start >= _WINDOW):
            yield Definition(name="", kind=MODULE, start_line=start, end_line=line - 1)
            start = line if free else None
