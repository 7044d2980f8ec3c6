"""``make demo-app`` shows what it promises, with the real engine and ``suture serve`` as a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.testbed import demo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.testbed
@pytest.mark.timeout(1500)
def test_a_published_flaw_becomes_a_draft_pull_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release of minimist, its advisory as an issue, a label: a draft that removes the flaw, with proof."""
    monkeypatch.setattr(demo, "FOLDER", tmp_path / "app")

    assert demo.main("minimist") == 0

    shown = capsys.readouterr().out
    assert "Draft pull request #2 by suture[bot]" in shown
    assert "check Suture: success" in shown
    assert "the proof of concept: passed" in shown
