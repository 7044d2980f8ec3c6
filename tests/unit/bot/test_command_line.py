"""The command line knows every command, and loads no more than the one that is asked for."""

from __future__ import annotations

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


def test_fix_loads_no_server_and_no_database() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert "bot.repair" in loaded
    assert not loaded & {"dbos", "sqlalchemy", "aiohttp", "flask", "github", "openai", "bot.app", "bot.jobs"}
