"""Read a range of lines of one file."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from agent.reading.errors import CallError
from agent.reading.showing import bounded, cut

if TYPE_CHECKING:
    from agent.reading.tree import ReadableTree

MOST_LINES: Final = 200


def read_file(tree: ReadableTree, path: str, start: int, end: int | None) -> str:
    """Return the numbered lines of a file from ``start`` on, at most ``MOST_LINES``; raise ``CallError``."""
    path = path.strip().removeprefix("./").removeprefix("/work/")
    text = tree.text(path)
    if text is None:
        raise CallError(_missing(tree, path))
    lines = text.removesuffix("\n").split("\n")
    if start < 1 or start > len(lines) or (end is not None and end < start):
        raise CallError(f"{path} has lines 1 to {len(lines)}; give `start_line` and `end_line` within them.")
    last = min(end or len(lines), start + MOST_LINES - 1, len(lines))
    head = f"{path}, lines {start} to {last} of {len(lines)}"
    parts = [head, *(f"{at:5d} {cut(lines[at - 1])}" for at in range(start, last + 1))]
    return bounded(parts, "... cut; read on from the line after the last one shown.")


def _missing(tree: ReadableTree, path: str) -> str:
    names = tree.paths()
    if path in names:
        return f"{path} is no text or too large to read; use search_string."
    same = [name for name in names if name.rpartition("/")[2] == path.rpartition("/")[2]]
    near = same[:3] or difflib.get_close_matches(path, names[:5_000], n=3)
    advice = f" Did you mean {', '.join(near)}?" if near else " Use search_string to find the right path."
    return f"There is no text file {cut(path)!r}; links are not followed.{advice}"
