"""Replies are short, mention nobody and can never be read as a command."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers import replies
from handlers.commands.catalogue import COMMANDS
from handlers.commands.lines import command_lines
from handlers.intents import Permission
from tests.unit.handlers.builders import build_config

ALL = [
    replies.help_text(build_config()),
    replies.rejected("`x` is no command; `/patch help` lists them."),
    replies.refused(Permission.WRITE),
    *(replies.not_available(name) for name in ("trace", "backport", "attack")),
    replies.switched_off(".github/suture.yml"),
    replies.broken_config(["line 3, `limits.files`: a number is expected"]),
]


@pytest.mark.parametrize("text", ALL)
def test_every_reply_is_short_and_no_command(text: str) -> None:
    assert 0 < len(text.splitlines()) <= replies.VISIBLE_LINES
    assert command_lines(text) == ()


def test_help_lists_every_command_and_the_permission() -> None:
    text = replies.help_text(build_config(permission=Permission.ADMIN))
    assert [c.name for c in COMMANDS if c.usage.replace("|", r"\|") not in text] == []
    assert "admin permission" in text


def test_nobody_is_notified_and_nothing_is_linked() -> None:
    assert replies.reply("@octo #1") == "@<!-- -->octo #<!-- -->1"


@pytest.mark.parametrize(
    "line", ["/patch stop", "  /patch stop", "/Patch stop", "\t/close", "a\r/patch stop"]
)
def test_a_line_that_would_be_a_command_is_defused(line: str) -> None:
    assert command_lines(replies.reply(f"x\n\n{line}")) == ()
    assert "<!-- -->/" in replies.reply(line)


def test_long_replies_are_cut_and_say_so() -> None:
    text = replies.reply("\n".join(str(number) for number in range(100)))
    assert (len(text.splitlines()), text.splitlines()[-1]) == (25, "(shortened)")


def test_a_cut_never_opens_a_comment() -> None:
    """The hidden break is put in after the cut, so it is always whole."""
    text = replies.reply("x" * (replies.LINE_CHARACTERS - 2) + " @octo")
    assert text.count("<!--") == text.count("-->")


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("/patch \n\r\u2028@#1!`<>-P"), max_size=200))
def test_no_text_gets_through_as_a_command(text: str) -> None:
    """Whatever is answered, Suture cannot command itself."""
    answer = replies.reply(text)
    assert command_lines(answer) == ()
    assert len(answer.splitlines()) <= replies.VISIBLE_LINES
