"""A burst of webhooks while a run is busy: answered in time, none lost, none done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.load.webhooks import measure

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_two_thousand_webhooks_while_a_run_is_busy(tmp_path: Path, database_url: str) -> None:
    figures = await measure(tmp_path, database_url, 2000, 220.0)
    print(figures.text())  # noqa: T201  # the figures are what this is for
    assert figures.run_was_busy
    assert (figures.sent, set(figures.answers)) == (2000, {202, 401})
    assert figures.lost == 0
    assert sum(figures.states.values()) == figures.expected + 1
    assert set(figures.states) == {"ignored", "done"}
    assert figures.rate >= 200
    assert figures.p99 < 100
