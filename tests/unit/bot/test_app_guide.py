"""The guide says what the code does."""

from __future__ import annotations

from pathlib import Path

from bot.setup.manifest import read_registration
from handlers.commands.catalogue import COMMANDS

GUIDE = Path(__file__).parents[3] / "docs" / "guide"


def test_every_command_is_in_the_guide_with_its_usage_and_where_it_works() -> None:
    rows = (GUIDE / "commands.md").read_text(encoding="utf-8").splitlines()
    for command in COMMANDS:
        usage = command.usage.replace("|", r"\|")
        (row,) = [row for row in rows if row.startswith(f"| {usage} | {command.summary} |")]
        assert row.endswith("| yes |") is command.on_closed


def test_every_permission_is_in_the_guide_with_its_reason() -> None:
    text = (GUIDE / "install-app.md").read_text(encoding="utf-8")
    for name, permission in read_registration().permissions.items():
        assert f"| {name.replace('_', ' ')} | {permission.level} | {permission.why} |" in text
