"""The process of the App: how it ends, and what it says when it cannot begin."""

from __future__ import annotations

import asyncio
import os
import runpy
import signal
import sys
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import typer

from bot.cli import process
from bot.errors import BotError, SettingsError, SlotLostError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass
class FakeApp:
    """Starts, waits and stops; ``wait`` does what a test tells it."""

    waiting: Callable[[], object]
    steps: list[str] = field(default_factory=list)

    async def start(self) -> None:
        self.steps.append("start")

    async def wait(self) -> None:
        self.steps.append("wait")
        self.waiting()
        await asyncio.sleep(30)

    async def stop(self) -> None:
        self.steps.append("stop")


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeApp]:
    """Let ``run_app`` begin with an App that does as told."""
    monkeypatch.setenv("SUTURE_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(process, "configure_logging", lambda *_: None)

    def begin(waiting: Callable[[], object], *, slug: str = "suture-bot") -> FakeApp:
        app = FakeApp(waiting)
        github = SimpleNamespace(connection=SimpleNamespace(slug=lambda: slug))
        monkeypatch.setattr(process, "open_ports", lambda _: SimpleNamespace(github=github))
        monkeypatch.setattr(process, "App", lambda **facts: app.__dict__.update(facts) or app)
        return app

    return begin


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(begun: Callable[..., FakeApp], number: signal.Signals) -> None:
    app = begun(lambda: os.kill(os.getpid(), number))
    process.run_app(serve=True, work=False, slot="a")
    assert app.steps == ["start", "wait", "stop"]


def test_the_apps_own_name_is_asked_for(begun: Callable[..., FakeApp]) -> None:
    app = begun(lambda: os.kill(os.getpid(), signal.SIGTERM), slug="mended")
    process.run_app(serve=True, work=True, slot="a")
    settings = app.__dict__["settings"]
    assert (settings.app_slug, settings.slot) == ("mended", "a")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SettingsError("no key"), process.USAGE),
        (SlotLostError("a"), process.LOST_SLOT),
        (BotError("broken"), process.FAULT),
        (OSError("no room"), process.FAULT),
    ],
)
def test_what_goes_wrong_is_one_line_and_a_code(
    begun: Callable[..., FakeApp], capsys: pytest.CaptureFixture[str], error: Exception, code: int
) -> None:
    def fail() -> None:
        raise error

    app = begun(fail)
    with pytest.raises(typer.Exit) as ended:
        process.run_app(serve=True, work=True)
    assert ended.value.exit_code == code
    assert capsys.readouterr().err == f"suture: {error}\n"
    assert app.steps[-1] == "stop"


def test_the_package_runs_as_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["suture", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("bot.cli", run_name="__main__")
    assert not ended.value.code
    assert "fix" in capsys.readouterr().out
