"""A changed pattern matches exactly what the old one matched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.rules.slow_patterns import flattened


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"(?:a+)+", r"a+"),
        (r"(?:a*)+", r"a*"),
        (r"(?:\w+)*x", r"\w*x"),
        (r"(?:[^,]+)+", r"[^,]+"),
        (r"a*a*a*", r"a*"),
        (r"a+a*", r"a+"),
        (r"a*a+", r"a+"),
        (r"a+a+", r"a+a+"),
        (r"(a+)+", r"(a+)+"),
        (r"(?:a+b)+", r"(?:a+b)+"),
        (r"(?:a+)+?", r"(?:a+)+?"),
        (r"\d+d*", r"\d+d*"),
        (r"[a+a*]", r"[a+a*]"),
        (r"[](?:a+)+]", r"[](?:a+)+]"),
        (r"\(?:a+\)+", r"\(?:a+\)+"),
        (r"\\(?:a+)+", r"\\a+"),
    ],
)
def test_only_equal_rewritings(pattern: str, expected: str) -> None:
    assert flattened(pattern) == expected


_PARTS = st.sampled_from(
    ["a", "b+", "a*", "(?:a+)+", "(?:b*)+", "(?:[ab]+)*", "(a|b)", "c?", r"\w", "[ab]*", "(?:a+)*", "$", "^"]
)


@settings(deadline=None)  # the machine may be busy
@given(st.lists(_PARTS, max_size=5), st.text("abc", max_size=7))
def test_old_and_new_match_alike(parts: list[str], text: str) -> None:
    """On short texts, where even a slow pattern ends, all matches and their places agree."""
    pattern = "".join(parts)
    spans = [match.span() for match in re.finditer(pattern, text)]
    assert [match.span() for match in re.finditer(flattened(pattern), text)] == spans
