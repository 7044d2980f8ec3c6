"""Deliveries share commits; each sender hears of its own."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from bot.faults import NoFaults
from bot.store.deliveries import Delivery
from bot.webhook.intake import BATCH, Intake

if TYPE_CHECKING:
    from collections.abc import Sequence


class Recorder:
    """Accepts batches as the store does; holds the first until it is let go."""

    def __init__(self, poison: str = "") -> None:
        self.batches: list[list[str]] = []
        self.known: set[str] = set()
        self.poison = poison
        self.gate = threading.Event()

    def accept(self, batch: Sequence[Delivery]) -> frozenset[str]:
        self.gate.wait(5)
        guids = [delivery.guid for delivery in batch]
        self.batches.append(guids)
        if self.poison in guids:
            raise RuntimeError("poison")
        fresh = set(guids) - self.known
        self.known |= fresh
        return frozenset(fresh)


def build(guid: str) -> Delivery:
    return Delivery(guid=guid, event="issues")


async def test_what_arrives_during_a_commit_shares_the_next() -> None:
    recorder = Recorder()
    intake = Intake(recorder.accept, NoFaults())
    first = asyncio.create_task(intake.take(build("0")))
    await asyncio.sleep(0.05)
    rest = [asyncio.create_task(intake.take(build(str(number)))) for number in range(1, 10)]
    await asyncio.sleep(0.05)
    recorder.gate.set()
    assert await asyncio.gather(first, *rest) == [True] * 10
    assert [len(batch) for batch in recorder.batches] == [1, 9]


async def test_a_batch_has_a_bound() -> None:
    recorder = Recorder()
    intake = Intake(recorder.accept, NoFaults())
    tasks = [asyncio.create_task(intake.take(build(str(number)))) for number in range(BATCH * 2)]
    recorder.gate.set()
    await asyncio.gather(*tasks)
    assert max(map(len, recorder.batches)) <= BATCH


async def test_a_repeat_in_one_batch_is_new_once() -> None:
    recorder = Recorder()
    recorder.gate.set()
    intake = Intake(recorder.accept, NoFaults())
    answers = await asyncio.gather(*(intake.take(build("same")) for _ in range(5)))
    assert sorted(answers) == [False, False, False, False, True]


async def test_one_that_cannot_be_stored_fails_alone() -> None:
    recorder = Recorder(poison="bad")
    intake = Intake(recorder.accept, NoFaults())
    tasks = [asyncio.create_task(intake.take(build(guid))) for guid in ("a", "bad", "b")]
    recorder.gate.set()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [answers[0], answers[2]] == [True, True]
    assert isinstance(answers[1], RuntimeError)


async def test_a_sender_that_left_does_not_disturb_the_others() -> None:
    recorder = Recorder()
    intake = Intake(recorder.accept, NoFaults())
    gone = asyncio.create_task(intake.take(build("gone")))
    stays = asyncio.create_task(intake.take(build("stays")))
    await asyncio.sleep(0.05)
    gone.cancel()
    recorder.gate.set()
    assert await stays
    with pytest.raises(asyncio.CancelledError):
        await gone
