"""A command is what a reader of the rendered comment sees at the start of a line, and nothing else."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.commands.lines import CommandLine, command_lines


@pytest.mark.parametrize(
    ("body", "rest"),
    [
        ("/patch", ""),
        ("/PATCH stop", "stop"),
        ("/patch\tretry", "retry"),
        ("Thanks!\n\n/patch retry", "retry"),
        ("Thanks!\n/patch retry", "retry"),
        ("Thanks!\r\n/patch retry\r\n", "retry"),
        ("Thanks!\r/patch retry", "retry"),
        ("Thanks!  \n/patch retry", "retry"),
        ("- a point\n/patch stop", "stop"),
        ("/patch stop\n--\nsent from my telephone", "stop"),
        ("> quoted\n\n/patch stop", "stop"),
        ("```\ncode\n```\n/patch stop", "stop"),
        ("<!-- note -->\n\n/patch stop", "stop"),
        ("`code` first\n/patch stop", "stop"),
        ("\ue0007\ue000\n/patch stop", "stop"),
    ],
)
def test_a_line_that_begins_with_the_command_is_found(body: str, rest: str) -> None:
    assert [rest] == [line.rest for line in command_lines(body)]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "please /patch this",
        "/patches",
        "/patch-it",
        " /patch indented by one",
        "    /patch as code",
        "\t/patch as code",
        "```\n/patch\n```",
        "~~~sh\n/patch\n~~~",
        "```\n/patch in a fence that never ends",
        "- item\n\n  ```\n  /patch\n  ```",
        "> /patch",
        "> > /patch",
        "> quoted\n/patch which GitHub shows as part of the quote",
        "- /patch",
        "1. /patch",
        "# /patch",
        "<!--\n/patch\n-->",
        "text <!--\n/patch\n--> text",
        "<details>\n/patch\n</details>",
        "`code span\n/patch stop`",
        "\\/patch",
        "**/patch**",
        "\ue0000\ue000",
        "/patch\ue0000\ue000"[1:],
    ],
)
def test_quotes_code_hidden_text_and_prose_are_no_commands(body: str) -> None:
    assert command_lines(body) == ()


def test_the_text_below_belongs_to_the_command_up_to_the_next_one() -> None:
    body = "Hello\n/patch refine be stricter\nsecond line\n\n> kept quote\n/patch stop"
    quoted = "/patch refine a\nb\n\n/patch stop"
    assert (
        CommandLine(rest="refine be stricter", below="second line\n\n> kept quote\n/patch stop"),
    ) == command_lines(body)
    assert (CommandLine(rest="refine a", below="b"), CommandLine(rest="stop", below="")) == command_lines(
        quoted
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 60_000,
        "*a " * 20_000,
        "<!--" * 15_000,
        "`" * 60_000,
        "a\n" * 30_000,
        "> " * 30_000,
        "\\" * 60_000,
    ],
)
def test_hostile_text_of_the_largest_size_is_read_in_seconds(hostile: str) -> None:
    begin = time.process_time()
    command_lines(f"/patch\n{hostile}")
    assert time.process_time() - begin < 10


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("/patch \n\r\t`>-<!#*_[]()\\~\ue0001"), max_size=80))
def test_whatever_is_found_begins_a_line_of_the_comment(body: str) -> None:
    """Markdown of any form gives only lines that are really there."""
    lines = re.split(r"\r\n|\r|\n", body.replace("\ue000", ""))
    begun = [line for line in lines if line.lower().startswith("/patch")]
    assert len(command_lines(body)) <= len(begun)
