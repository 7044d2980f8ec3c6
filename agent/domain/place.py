"""A place in the code that a patch is likely to change."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A definition or a span of lines; lines count from 1 and include both ends.

    ``votes`` is how many of the samples named it, ``symbol`` its qualified name (empty at module level).
    """

    path: str
    start_line: int
    end_line: int
    symbol: str = ""
    votes: int = 1
    reason: str = ""
