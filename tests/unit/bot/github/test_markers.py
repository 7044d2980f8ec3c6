"""Hidden marks: found again, never forged by a key, never cutting what people wrote."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.github.markers import carries, made_for, marked, rewritten, token, trailer

KEYS = st.text(min_size=1, max_size=40)


@given(KEYS, st.text(max_size=200))
def test_a_marked_body_carries_its_key(key: str, body: str) -> None:
    assert carries(key, marked(key, body))


@given(KEYS)
def test_a_key_cannot_leave_its_comment(key: str) -> None:
    """No key closes the HTML comment or begins another line of a trailer."""
    assert "--" not in token(key)
    assert "\n" not in trailer(key)
    assert made_for(key, f"Title\n\n{trailer(key)}\nSigned-off-by: x <y>")


def test_a_quote_is_no_mark() -> None:
    """Whoever answers by quoting our comment did not write it."""
    quoted = "\n".join(f"> {line}" for line in marked("run-1", "text").splitlines())

    assert not carries("run-1", quoted)
    assert not carries("run-1", None)
    assert not carries("run-2", marked("run-1", "text"))


def test_words_of_people_stay_around_a_rewritten_section() -> None:
    old = f"Before.\r\n\r\n{marked('b', 'old')}\r\n\r\nAfter."

    new = rewritten("b", old, r"new \1 text")

    assert new is not None
    assert new.startswith("Before.")
    assert new.endswith("After.")
    assert r"new \1 text" in new
    assert "old" not in new


def test_a_body_without_our_section_is_left_alone() -> None:
    """Somebody rewrote the description: it is theirs now."""
    assert rewritten("b", "Their own words.", "new") is None
    assert rewritten("b", None, "new") is None


def test_rewriting_again_changes_nothing() -> None:
    once = rewritten("b", marked("b", "old"), "new")

    assert once == rewritten("b", once, "new") == marked("b", "new")


def test_a_body_is_cut_to_what_github_takes() -> None:
    body = marked("b", "x" * 100_000)

    assert len(body) < 65_536
    assert "The rest was cut" in body
    assert carries("b", body)
