"""Answers remembered by their ETag, so that a poll that finds nothing new costs nothing of the rate limit."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.github.transport import Answer

ENTRIES = 512
LARGEST = 256 * 2**10


@dataclass(frozen=True, slots=True)
class Place:
    """Which answer: what was asked, and with whose eyes (installation, repository, grant)."""

    viewer: tuple[int, int, str]
    url: str
    accept: str


class ETags:
    """The last answers of a process, the least recently used ones forgotten first."""

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._answers: OrderedDict[Place, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, place: Place) -> Answer | None:
        """Return the remembered answer."""
        with self._lock:
            answer = self._answers.get(place)
            if answer is not None:
                self._answers.move_to_end(place)
            return answer

    def keep(self, place: Place, answer: Answer) -> None:
        """Remember an answer that carries an ETag and is not large."""
        if "etag" not in answer.headers or len(answer.text) > LARGEST:
            return
        with self._lock:
            self._answers[place] = answer
            self._answers.move_to_end(place)
            while len(self._answers) > self._entries:
                self._answers.popitem(last=False)
