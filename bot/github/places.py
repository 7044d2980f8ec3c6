"""What this process wrote where: one writer at a time for each place, and the id to edit next time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KEPT = 10_000


@dataclass(slots=True)
class Written:
    """The id found at a place, None when this process wrote nothing there yet; set it after writing."""

    id: int | None


class Places:
    """Comments and checks by place. Forgetting one costs a search, never a double."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._ids: OrderedDict[tuple[object, ...], int] = OrderedDict()
        self._locks: WeakValueDictionary[tuple[object, ...], asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def writing(self, *place: object) -> AsyncIterator[Written]:
        """Hold a place while something is written there."""
        lock = self._locks.setdefault(place, asyncio.Lock())
        async with lock:
            written = Written(self._ids.get(place))
            yield written
            if written.id is not None:
                self._keep(place, written.id)

    def _keep(self, place: tuple[object, ...], number: int) -> None:
        self._ids[place] = number
        self._ids.move_to_end(place)
        while len(self._ids) > self._kept:
            self._ids.popitem(last=False)
