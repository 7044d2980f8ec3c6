"""Read SEARCH/REPLACE blocks out of a model's answer. Pure.

The form is a path on a line of its own, then ``<<<<<<< SEARCH``, the lines as they are, ``=======``, the lines as
they shall be, and ``>>>>>>> REPLACE``. Fences around blocks, decorated paths, and a missing path after the first
block of a file are forgiven; anything that would leave open what is meant is an error that says what to write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.authoring.errors import EditError

if TYPE_CHECKING:
    from collections.abc import Sequence

_SEARCH: Final = re.compile(r"^<{5,9} ?SEARCH\s*$")
_DIVIDER: Final = re.compile(r"^={7}\s*$")
_REPLACE: Final = re.compile(r"^>{5,9} ?REPLACE\s*$")
_FENCE: Final = re.compile(r"^\s*(?:`{3,}|~{3,})")
_DECORATION: Final = re.compile(r"^(?:#+\s+|[-*]\s+|\d+\.\s+)?(?:(?:file|path)\s*:\s*)?", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"^ *\d+\|(?: (?P<rest>.*))?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One edit: replace ``search`` by ``replace`` in the file ``path``; lines without their ends.

    An empty ``search`` makes a new file.
    """

    path: str
    search: tuple[str, ...]
    replace: tuple[str, ...]


def parse_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks in order; raise ``EditError`` when there is none, or one is not whole."""
    lines = text.replace("\r\n", "\n").split("\n")
    blocks: list[Block] = []
    path, at = "", 0
    while at < len(lines):
        line = lines[at]
        if _SEARCH.match(line):
            path = _path_before(lines, at) or path
            block, at = _block(lines, at, path)
            blocks.append(block)
        elif _DIVIDER.match(line) or _REPLACE.match(line):
            if _REPLACE.match(line):
                raise EditError(f"line {at + 1} of the answer: {line.strip()} without a SEARCH before it")
            at += 1
        else:
            at += 1
    if not blocks:
        raise EditError("the answer holds no SEARCH/REPLACE block")
    return tuple(blocks)


def _block(lines: Sequence[str], start: int, path: str) -> tuple[Block, int]:
    """Return the block that begins at ``start`` and the line after it."""
    if not path:
        raise EditError("a SEARCH block has no path on the line before it")
    divider = _next(_DIVIDER, lines, start + 1)
    end = _next(_REPLACE, lines, start + 1)
    again = _next(_SEARCH, lines, start + 1)
    if end is None or divider is None or divider > end or (again is not None and again < end):
        raise EditError(
            f"a block for {path} is not whole: write <<<<<<< SEARCH, =======, >>>>>>> REPLACE in this order"
        )
    search = _without_numbers(lines[start + 1 : divider])
    replace = _without_numbers(lines[divider + 1 : end])
    return Block(path=path, search=search, replace=replace), end + 1


def _next(pattern: re.Pattern[str], lines: Sequence[str], start: int) -> int | None:
    return next((at for at in range(start, len(lines)) if pattern.match(lines[at])), None)


def _path_before(lines: Sequence[str], at: int) -> str:
    """Return the path on the nearest line above that is neither blank nor a fence; empty when it is none."""
    for line in reversed(lines[:at]):
        if not line.strip() or _FENCE.match(line):
            continue
        return _as_path(line)
    return ""


def _as_path(line: str) -> str:
    text = _DECORATION.sub("", line.strip(), count=1).strip().strip("`*\"'").rstrip(":").strip("`*\"'")
    if not text or _REPLACE.match(line) or re.search(r"\s{2}|[<>|?]|[.!,;]$", text):
        return ""
    looks = "/" in text or re.search(r"\.\w{1,8}$", text) is not None or " " not in text
    return text.removeprefix("./") if looks else ""


def _without_numbers(lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines without the numbers that listings show, when every line has one."""
    numbered = [_NUMBERED.match(line) for line in lines]
    if lines and all(match is not None for match in numbered):
        return tuple(match["rest"] or "" for match in numbered if match is not None)
    return tuple(lines)
