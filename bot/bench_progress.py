"""How a bench is shown: one plain line an event, with the time that is left."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

MINUTE = 60.0


@dataclass(slots=True, kw_only=True)
class LineProgress:
    """Writes lines to ``stream``; the time left is reckoned from the items that really ran."""

    stream: TextIO
    jobs: int = 1
    clock: Callable[[], float] = time.monotonic
    _count: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)
    _fresh: int = field(default=0, init=False)
    _started: float = field(default=0.0, init=False)

    def begin(self, count: int) -> None:
        """Start to count."""
        self._count, self._done, self._fresh, self._started = count, 0, 0, self.clock()

    def note(self, item: str, text: str) -> None:
        """Write what an item is at."""
        self._write(f"{item}: {text}")

    def finish(self, item: str, text: str, *, fresh: bool) -> None:
        """Write how an item ended and how long the rest may take."""
        self._done += 1
        self._fresh += fresh
        self._write(f"{item}: {text} [{self._done}/{self._count}{self._left()}]")

    def _left(self) -> str:
        open_items = self._count - self._done
        if not self._fresh or not open_items:
            return ""
        seconds = (self.clock() - self._started) / self._fresh * open_items
        return (
            f", about {seconds / MINUTE:.0f} min left"
            if seconds >= MINUTE
            else f", about {seconds:.0f} s left"
        )

    def _write(self, line: str) -> None:
        shown = "".join(char if char.isprintable() else "?" for char in line)
        self.stream.write(f"{shown}\n")
        self.stream.flush()


@dataclass(frozen=True, slots=True)
class NotesOnly:
    """Passes notes on and counts nothing: for what is done within an item of another bench."""

    outer: LineProgress

    def begin(self, count: int) -> None:
        """Count nothing."""

    def note(self, item: str, text: str) -> None:
        """Pass it on."""
        self.outer.note(item, text)

    def finish(self, item: str, text: str, *, fresh: bool) -> None:
        """Pass on what was found, if it is new."""
        if fresh:
            self.outer.note(item, f"validation: {text}")
