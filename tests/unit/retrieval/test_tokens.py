from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.tokens import stem, token_counts, tokens, word_tokens, words


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("getHTTPResponse", ("gethttpresponse", "get", "http", "respons")),
        ("parse_cookie_header", ("parse_cookie_header", "pars", "cooki", "header")),
        ("Running", ("run",)),
        ("sha256", ("sha256", "sha", "256")),
        ("x", ()),
        ("7", ("7",)),
    ],
)
def test_identifiers_give_themselves_and_their_stemmed_parts(word: str, expected: tuple[str, ...]) -> None:
    assert word_tokens(word) == expected


def test_a_word_and_its_identifier_meet() -> None:
    """A report that says "cookies" finds code that says ``parseCookie``."""
    assert set(tokens("cookies")) <= set(tokens("parseCookie"))


def test_scripts_without_spaces_give_pairs_and_keep_the_latin_words_among_them() -> None:
    assert tokens("Djangoの認証") == ["django", "の認", "認証"]


def test_a_long_japanese_sentence_is_not_taken_for_data() -> None:
    assert len(tokens("認証" * 60)) == 119


def test_a_single_character_of_such_a_script_stands_alone() -> None:
    assert tokens("a 認 b") == ["認"]


def test_a_run_longer_than_any_word_is_data() -> None:
    assert tokens("a" * 65) == []


def test_words_keep_their_case_and_drop_outer_underscores() -> None:
    assert words("__init__ of HttpRequest, 42 times") == ["init", "of", "HttpRequest", "42", "times"]


def test_only_longer_english_words_are_stemmed() -> None:
    assert [stem("is"), stem("bindings"), stem("größen")] == ["is", "bind", "größen"]


@given(st.text(max_size=400))
def test_counting_agrees_with_listing(text: str) -> None:
    assert token_counts(text) == Counter(tokens(text))
