"""``suture setup`` hands its options on, prints where to go, and ends with one line when it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bot.cli import COMMANDS, setup
from bot.setup import Registered, SetupError, Wishes
from tests.unit.bot.setup.test_credentials import build_credentials

ADDRESS = "http://127.0.0.1:8976/?key=k"


class Recorded:
    """What the command asked for; ``fault`` is raised instead of an answer."""

    def __init__(self, fault: BaseException | None = None) -> None:
        self.fault = fault
        self.wishes: Any = None
        self.folder: Any = None
        self.options: dict[str, Any] = {}
        self.opened: list[str] = []

    def register(self, wishes: Wishes, folder: Path, **options: Any) -> Registered:
        self.wishes, self.folder, self.options = wishes, folder, options
        options["announce"](ADDRESS)
        if self.fault:
            raise self.fault
        return Registered(app=build_credentials(), files=(Path("/data/suture.toml"),))


def run(monkeypatch: pytest.MonkeyPatch, recorded: Recorded, *arguments: str) -> tuple[int, str]:
    """Run the command with nothing real behind it."""
    monkeypatch.setattr(setup, "register_app", recorded.register)
    monkeypatch.setattr(typer, "launch", recorded.opened.append)
    for name in setup.DISPLAYS:
        monkeypatch.delenv(name, raising=False)
    app = typer.Typer()
    app.callback()(lambda: None)
    setup.register(app)
    result = CliRunner().invoke(app, ["setup", *arguments])
    return result.exit_code, result.output


def test_the_command_is_listed() -> None:
    assert "setup" in COMMANDS


def test_options_are_handed_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    recorded = Recorded()
    code, output = run(
        monkeypatch,
        recorded,
        *("--url", "https://s.example", "--org", "octo", "--github", "https://g.example", "--name", "n"),
        *("--folder", str(tmp_path), "--port", "0", "--replace"),
    )
    assert code == 0
    assert recorded.wishes == Wishes(
        github="https://g.example", organization="octo", public_url="https://s.example", name="n"
    )
    assert (recorded.folder, recorded.options["port"], recorded.options["replace"]) == (tmp_path, 0, True)
    assert ADDRESS in output
    assert "ssh -L 8976:127.0.0.1:8976" in output
    assert "https://github.com/apps/suture-octo/installations/new" in output
    assert "hook-secret" not in output


def test_without_a_folder_it_is_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SUTURE_DATA_DIR", str(tmp_path))
    recorded = Recorded()
    run(monkeypatch, recorded)
    assert recorded.folder == tmp_path


def test_the_page_is_opened_only_where_there_is_a_screen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    headless, seen, unwanted = Recorded(), Recorded(), Recorded()
    run(monkeypatch, headless, "--folder", str(tmp_path))
    monkeypatch.setattr(setup, "has_screen", lambda: True)
    run(monkeypatch, seen, "--folder", str(tmp_path))
    run(monkeypatch, unwanted, "--folder", str(tmp_path), "--no-browser")
    assert (headless.opened, seen.opened, unwanted.opened) == ([], [ADDRESS], [])


@pytest.mark.parametrize(("display", "there"), [("", False), (":0", True)])
def test_a_screen_is_known_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, display: str, *, there: bool
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    assert setup.has_screen() is there


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        (
            SetupError("Cannot listen on port 1; choose another by --port."),
            2,
            "suture: Cannot listen on port 1",
        ),
        (KeyboardInterrupt(), 130, "suture: stopped; nothing was registered here."),
    ],
)
def test_it_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fault: BaseException, code: int, said: str
) -> None:
    ended, output = run(monkeypatch, Recorded(fault), "--folder", str(tmp_path))
    assert ended == code
    assert said in output
    assert "Traceback" not in output
