"""Find the lines that a SEARCH means. Pure: lines in, span and re-indented lines out.

Three readings, the first that fits exactly one place wins: the lines as they are; the lines without white space at
their ends and blank lines around them; the lines with another indentation. A reading that fits several places is
ambiguous and never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from agent.authoring.errors import EditError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_AROUND: Final = 2
_MOST_SHOWN: Final = 3
_MOST_COMPARED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Replace the lines ``start:end`` (from 0, end excluded) by ``lines``."""

    start: int
    end: int
    lines: tuple[str, ...]


def match(text: Sequence[str], search: Sequence[str], replace: Sequence[str]) -> Match:
    """Return where ``search`` stands in ``text`` and what stands there afterwards; raise ``EditError``."""
    found = _starts(text, search, lambda line: line)
    if len(found) == 1:
        return Match(start=found[0], end=found[0] + len(search), lines=tuple(replace))
    if len(found) > 1:
        raise _ambiguous(text, search, found)
    inner, outer = _trimmed(search), _trimmed(replace)
    if not inner:
        raise EditError("the SEARCH part holds only blank lines; copy the lines that change")
    found = _starts(text, inner, str.rstrip)
    if not found:
        found = _starts(text, inner, _squeezed)
    if len(found) > 1:
        raise _ambiguous(text, inner, found)
    if not found:
        raise EditError(
            "the SEARCH lines are not in the file; copy them exactly as they are shown",
            shown=nearest(text, inner),
        )
    return _shifted(text, inner, outer, found[0])


def _trimmed(lines: Sequence[str]) -> list[str]:
    """Return lines without the blank ones at both ends."""
    kept = list(lines)
    while kept and not kept[0].strip():
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


def _squeezed(line: str) -> str:
    return " ".join(line.split())


def _starts(text: Sequence[str], search: Sequence[str], reading: Callable[[str], str]) -> list[int]:
    """Return where the lines of ``search`` stand one after another, both sides read by ``reading``."""
    if not search:
        return []
    wanted = [reading(line) for line in search]
    lines = [reading(line) for line in text]
    size = len(wanted)
    return [
        at
        for at in range(len(lines) - size + 1)
        if lines[at] == wanted[0] and lines[at : at + size] == wanted
    ]


def _shifted(text: Sequence[str], search: Sequence[str], replace: Sequence[str], start: int) -> Match:
    """Return the match with ``replace`` carried over to the indentation that the file has."""
    there = text[start : start + len(search)]
    indents = {
        _indent(asked): _indent(true)
        for asked, true in zip(search, there, strict=True)
        if asked.strip() and true.strip()
    }
    lines = tuple(_carried(line, indents) for line in replace)
    return Match(start=start, end=start + len(search), lines=lines)


def _carried(line: str, indents: dict[str, str]) -> str:
    """Return ``line`` with the file's indentation: the known one, else the nearest smaller one and the rest."""
    own = _indent(line)
    if not line.strip() or own in indents:
        return indents.get(own, own) + line[len(own) :] if line.strip() else ""
    below = [known for known in indents if own.startswith(known)]
    if not below:
        known = min(indents, key=len)
        true = indents[known]
        cut = len(known) - len(own)
        return true[: max(0, len(true) - cut)] + line[len(own) :]
    known = max(below, key=len)
    return indents[known] + _unit(own[len(known) :], indents) + line[len(own) :]


def _unit(extra: str, indents: dict[str, str]) -> str:
    """Return deeper indentation as the file writes it: tabs when its other lines have them."""
    tabs = any("\t" in true for true in indents.values()) and not any("\t" in asked for asked in indents)
    if not tabs or "\t" in extra:
        return extra
    steps = [
        len(asked) / len(true) for asked, true in indents.items() if true and asked and set(true) == {"\t"}
    ]
    width = round(min(steps)) if steps else 4
    return "\t" * max(1, round(len(extra) / max(1, width)))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _ambiguous(text: Sequence[str], search: Sequence[str], found: Sequence[int]) -> EditError:
    places = ", ".join(str(at + 1) for at in found[:8])
    shown = "\n".join(numbered(text, at - _AROUND, at + len(search) + _AROUND) for at in found[:_MOST_SHOWN])
    return EditError(
        f"the SEARCH lines stand {len(found)} times in the file (lines {places}); "
        "add lines around them until they stand once",
        shown=shown,
    )


def nearest(text: Sequence[str], search: Sequence[str]) -> str:
    """Return the stretch of ``text`` that is most like ``search``, numbered; empty when nothing is."""
    wanted = {_squeezed(line) for line in search if line.strip()}
    size = len(search)
    hits = [(_squeezed(line) in wanted) for line in text]
    scored = sorted(
        ((sum(hits[at : at + size]), -at) for at in range(max(1, len(text) - size + 1))), reverse=True
    )
    best = [-at for score, at in scored[:_MOST_COMPARED] if score] or _by_first_line(text, search)
    if not best:
        return ""
    asked = "\n".join(map(_squeezed, search))
    at = max(best, key=lambda start: _likeness(asked, text[start : start + size]))
    return numbered(text, at - _AROUND, at + size + _AROUND)


def _by_first_line(text: Sequence[str], search: Sequence[str]) -> list[int]:
    """Return where lines stand that are like the longest line of ``search``."""
    longest = max(range(len(search)), key=lambda at: len(search[at].strip()))
    asked = _squeezed(search[longest])
    scores = [
        (SequenceMatcher(None, asked, _squeezed(line)).quick_ratio(), at) for at, line in enumerate(text)
    ]
    return [max(0, at - longest) for score, at in sorted(scores, reverse=True)[:5] if score > 0.5]  # noqa: PLR2004 - half alike


def _likeness(asked: str, lines: Sequence[str]) -> float:
    return SequenceMatcher(None, asked, "\n".join(map(_squeezed, lines))).ratio()


def numbered(text: Sequence[str], start: int, end: int) -> str:
    """Return the lines ``start:end`` (from 0) with their numbers from 1, as listings show them."""
    first, last = max(0, start), min(len(text), end)
    width = len(str(last))
    return "\n".join(
        f"{number:>{width}}| {text[number - 1]}".rstrip() for number in range(first + 1, last + 1)
    )
