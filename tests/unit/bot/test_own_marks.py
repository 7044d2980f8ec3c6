"""What Suture writes carries the mark by which the handlers know it again."""

from __future__ import annotations

from bot.github import markers
from handlers.commands.lines import command_lines
from handlers.identity import MARKER


def test_a_comment_of_ours_is_known_and_holds_no_command() -> None:
    body = markers.marked("issue-12", "Fixed.")
    assert MARKER in body
    assert command_lines(body) == ()
