"""Turns, pauses and budgets, with a clock that is held still."""

from __future__ import annotations

import pytest

from bot.errors import GitHubError
from bot.github.pacing import Pace, Paces, RateBudget


class Clock:
    """Time that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def build_pace(clock: Clock) -> Pace:
    """Return a pace of one write a second and ten seconds of patience."""
    return Pace(write_seconds=1.0, patience=10.0, clock=clock.time, sleep=clock.sleep)


def take(pace: Pace, verb: str) -> None:
    """Make one request."""
    pace.begin(verb)
    pace.end(verb)


def test_writes_have_a_pause_between_them_and_reads_have_none() -> None:
    clock = Clock()
    pace = build_pace(clock)

    for verb in ("POST", "GET", "PATCH", "GET", "DELETE"):
        take(pace, verb)

    assert clock.slept == [1.0, 1.0]


def test_a_short_pause_is_slept_by_reads_too() -> None:
    clock = Clock()
    pace = build_pace(clock)
    pace.silence(5.0)

    take(pace, "GET")

    assert clock.slept == [5.0]


@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_a_long_pause_is_reported_and_the_turn_given_back(verb: str) -> None:
    """The caller hears how long; after the pause everything goes on."""
    clock = Clock()
    pace = build_pace(clock)
    pace.silence(60.0)

    with pytest.raises(GitHubError) as caught:
        pace.begin(verb)
    clock.now += 61

    assert (caught.value.retryable, caught.value.retry_after) == (True, 60.0)
    take(pace, verb)
    assert clock.slept == []


def test_a_shorter_pause_does_not_end_a_longer_one() -> None:
    clock = Clock()
    pace = build_pace(clock)
    pace.silence(8.0)
    pace.silence(1.0)

    take(pace, "GET")

    assert clock.slept == [8.0]


def test_the_budget_is_what_was_said_last() -> None:
    pace = build_pace(Clock())
    pace.note({"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "17", "x-ratelimit-reset": "99"})
    pace.note({})
    pace.note({"x-ratelimit-limit": "many", "x-ratelimit-remaining": "1", "x-ratelimit-reset": "1"})

    assert pace.budget == RateBudget(limit=5000, remaining=17, resets_at=99)


def test_each_installation_has_one_pace() -> None:
    paces = Paces(lambda: build_pace(Clock()))

    assert paces.of(1) is paces.of(1)
    assert paces.of(1) is not paces.of(2)
    assert [installation for installation, _ in paces.budgets()] == [1, 2]
