"""One writer a place, ids remembered, memory bounded."""

from __future__ import annotations

import asyncio

import pytest

from bot.github.places import Places


async def write(places: Places, order: list[str], name: str, *place: object) -> int | None:
    """Write something that takes a moment; return what was known before."""
    async with places.writing(*place) as written:
        known = written.id
        order.append(f"{name} begins")
        await asyncio.sleep(0.01)
        order.append(f"{name} ends")
        written.id = known or 7
    return known


async def test_writers_of_one_place_follow_one_another_and_learn_the_id() -> None:
    places, order = Places(), list[str]()

    known = await asyncio.gather(*(write(places, order, str(number), "c", 1) for number in range(3)))

    assert known == [None, 7, 7]
    assert order == [f"{number} {what}" for number in range(3) for what in ("begins", "ends")]


async def test_writers_of_two_places_do_not_wait() -> None:
    places, order = Places(), list[str]()

    await asyncio.gather(write(places, order, "a", 1), write(places, order, "b", 2))

    assert order[:2] == ["a begins", "b begins"]


async def fail(places: Places, *place: object) -> None:
    """Fail while writing."""
    async with places.writing(*place) as written:
        written.id = 3
        raise ValueError("no")


async def test_a_failure_is_not_remembered_and_lets_the_next_in() -> None:
    places = Places()
    with pytest.raises(ValueError, match="no"):
        await fail(places, "c")

    assert await write(places, [], "a", "c") is None


async def test_the_oldest_are_forgotten() -> None:
    """And no lock outlives its writers."""
    places = Places(kept=2)
    for number in range(3):
        await write(places, [], "a", number)

    assert await write(places, [], "a", 0) is None
    assert await write(places, [], "a", 2) == 7
    assert len(places._locks) == 0
