"""Lines as a model is shown them: numbered, cut where they are long, bounded as a whole. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent.untrusted import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_CHARACTERS: Final = 8_000
_WIDEST: Final = 240


def cut(line: str) -> str:
    """Return a line without its end, cut where it is long."""
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]} …"


def numbered(lines: list[str], start: int, end: int) -> str:
    """Return the lines ``start`` to ``end``, which count from 1, each after its number."""
    return "\n".join(f"{at:5d} {cut(lines[at - 1])}" for at in range(start, min(end, len(lines)) + 1))


def bounded(parts: Iterable[str], more: str, *, most: int = MOST_CHARACTERS) -> str:
    """Return the parts that fit, one below the other, ``more`` says what to do for the rest.

    What hides from a reader is written out and nothing is left out: an edit must find the lines as they are.
    """
    kept: list[str] = []
    left = most
    for part in parts:
        text = shown(part)
        if len(text) + 1 > left:
            return "\n".join([*kept, more]) if kept else f"{text[:left]}\n{more}"
        kept.append(text)
        left -= len(text) + 1
    return "\n".join(kept)
