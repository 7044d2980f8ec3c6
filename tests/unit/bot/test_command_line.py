"""The command line knows every command, and loads no more than the one that is asked for."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import COMMANDS, build_app

ROOT = Path(__file__).parents[3]
LOADED = """
import sys
from bot.cli import build_app
build_app("fix")
print(*sorted({name.partition(".")[0] for name in sys.modules} | {name for name in sys.modules if "bot." in name}))
"""


def test_every_command_is_named_in_the_help() -> None:
    shown = CliRunner().invoke(build_app(), ["--help"])
    assert shown.exit_code == 0
    assert [name for name in (*COMMANDS, "eval") if f" {name} " not in shown.output] == []


@pytest.mark.parametrize("name", ["fix", "eval", "locate"])
def test_a_command_is_asked_for_by_its_name(name: str) -> None:
    """Also where it is the only one that was loaded."""
    shown = CliRunner().invoke(build_app(name), [name, "--help"])
    assert shown.exit_code == 0
    assert f"{name} [OPTIONS]" in shown.output


def test_a_machine_that_refuses_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full or foreign cache folder is no traceback and no usage error."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/cache")

    monkeypatch.setattr("bot.cli.fix.open_workshop", refuse)
    (tmp_path / "report.md").write_text("A flaw.")
    arguments = [
        "fix",
        str(tmp_path),
        "--report",
        str(tmp_path / "report.md"),
        "--out",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(build_app("fix"), arguments)
    assert (done.exit_code, done.stderr) == (1, "suture: /cache: Permission denied\n")


def test_fix_loads_no_server_and_no_database() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert "bot.repair" in loaded
    assert not loaded & {"dbos", "sqlalchemy", "aiohttp", "flask", "github", "openai", "bot.app", "bot.jobs"}
