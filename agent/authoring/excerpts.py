"""Code as a model is shown it: numbered lines of the definitions that matter, never whole long files. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.authoring.matching import numbered
from retrieval.files.outline import MODULE, outline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_AROUND: Final = 3
_LONGEST_DEFINITION: Final = 120
_HALF: Final = 45
_HEAD: Final = 30
_WIDEST: Final = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Lines of a file, from 1, both ends included."""

    path: str
    start: int
    end: int


def listing(spans: Iterable[Span], read: Callable[[str], bytes | None], *, most_lines: int) -> str:
    """Return the spans as numbered lines under their paths, at most ``most_lines`` in all; spans that touch are one."""
    parts: list[str] = []
    left = most_lines
    for path, of_path in _by_path(spans).items():
        content = read(path)
        if content is None or b"\0" in content:
            continue
        lines = lines_of(content)
        shown = []
        for start, end in _merged(of_path, len(lines)):
            last = min(end, start + left - 1)
            if last < start:
                break
            shown.append(numbered(lines, start - 1, last))
            left -= last - start + 1
        if shown:
            parts.append(f"{path}\n" + "\n...\n".join(shown))
    return "\n\n".join(parts)


def lines_of(content: bytes) -> list[str]:
    """Return a file's lines for showing; very long ones are cut."""
    text = content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    return [line if len(line) <= _WIDEST else f"{line[:_WIDEST]} …" for line in text.split("\n")]


def _by_path(spans: Iterable[Span]) -> dict[str, list[Span]]:
    grouped: dict[str, list[Span]] = {}
    for span in spans:
        grouped.setdefault(span.path, []).append(span)
    return grouped


def _merged(spans: Sequence[Span], count: int) -> list[tuple[int, int]]:
    """Return the stretches of lines in order, joined where they touch or overlap, cut to the file."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(1, span.start), min(count, span.end)) for span in spans):
        if start > end:
            continue
        if merged and start <= merged[-1][1] + 2:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def around(path: str, content: bytes, line: int) -> Span:
    """Return the definition around ``line`` with a few lines more; of a long one the lines near it."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    inside = [
        item
        for item in outline(path, text)
        if item.start_line <= line <= item.end_line and item.kind != MODULE
    ]
    short = [item for item in inside if item.end_line - item.start_line < _LONGEST_DEFINITION]
    if not short:
        return Span(path=path, start=line - _HALF, end=line + _HALF)
    widest = max(short, key=lambda item: item.end_line - item.start_line)
    return Span(path=path, start=widest.start_line - _AROUND, end=widest.end_line + _AROUND)


def head(path: str, content: bytes) -> Span:
    """Return the lines at the top of a file up to its last import or constant, where names come from."""
    lines = lines_of(content)[: 2 * _HEAD]
    words = ("import ", "from ", "const ", "var ", "let ", "#include", "use ", "'use strict'", '"use strict"')
    last = max((at for at, line in enumerate(lines, start=1) if line.startswith(words)), default=1)
    return Span(path=path, start=1, end=min(last + 1, _HEAD))
