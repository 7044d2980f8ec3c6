"""Facts of a report are read from any text without a fault."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from agent.reports.facts import as_date, cwes


@pytest.mark.parametrize("number", ["²", "CWE-²", "9" * 5_000, "CWE-", "٣"])
def test_only_short_plain_numbers_are_weakness_ids(number: str) -> None:
    assert cwes([number, "CWE-22"], "") == ("CWE-22",)


def test_a_day_beyond_the_calendar_is_unreadable() -> None:
    first = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=23)))
    assert as_date(first) is None
    assert as_date(datetime(2026, 11, 30, 23, tzinfo=UTC)) == date(2026, 11, 30)
