"""Keeps the head and the tail of an output stream and counts the rest. Pure."""

from __future__ import annotations


class Capture:
    """Holds at most ``limit`` bytes: the first half as it came, and the last half seen.

    A test runner's verdict stands at the end of its output and the first error at its beginning, so the
    middle is what can be spared.
    """

    def __init__(self, limit: int) -> None:
        self._head_room = limit - limit // 2
        self._tail_room = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.seen = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        self.seen += len(chunk)
        room = self._head_room - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._tail_room + 65_536:  # trimmed seldom, so that feeding stays linear
            self._trim()

    @property
    def dropped(self) -> int:
        """Return how many bytes were left out."""
        return max(0, self.seen - self._head_room - self._tail_room)

    def text(self) -> str:
        """Return what was kept, with a line in place of what was not."""
        self._trim()
        if not self.dropped:
            return bytes(self._head + self._tail).decode(errors="replace")
        head, tail = (part.decode(errors="replace") for part in (self._head, self._tail))
        return f"{head}\n[... {self.dropped} bytes left out ...]\n{tail}"

    def _trim(self) -> None:
        del self._tail[: max(0, len(self._tail) - self._tail_room)]
