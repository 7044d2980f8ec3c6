from __future__ import annotations

from retrieval.files.document import bag_of, term
from retrieval.files.query import LONGEST_BODY, Frame, path_terms
from tests.unit.retrieval.files.build import build_query


def test_template_comments_are_not_read() -> None:
    parsed = build_query("Bug", "<!-- please search\nfirst --> cookies leak")

    assert set(parsed.body) == set(bag_of("Bug cookies leak"))


def test_the_first_line_counts_each_word_once_and_the_text_as_often_as_it_stands() -> None:
    parsed = build_query("cookie cookie", "cookie")

    assert (parsed.title[term("cooki")], parsed.body[term("cooki")], parsed.unique[term("cooki")]) == (
        1,
        3,
        1,
    )


def test_the_lead_is_the_first_line_and_two_paragraphs_of_prose() -> None:
    body = "short one\n\n```\ncode only here in the block of the text\n```\n\none two three four five six seven\n\n"
    parsed = build_query(
        "Title", body + "alpha beta gamma delta epsilon zeta eta\n\nnot this any more at all or ever"
    )

    assert set(parsed.lead) == set(
        bag_of("Title one two three four five six seven alpha beta gamma delta epsilon zeta eta")
    )


def test_python_frames_are_in_order_and_script_frames_are_turned() -> None:
    python = 'Traceback\n  File "/srv/app/a.py", line 1, in main\n  File "/srv/app/b.py", line 2, in run\n'
    script = "Error\n    at read (/srv/lib/inner.js:3:4)\n    at /srv/lib/outer.js:5:6\n"

    assert build_query("x", python).frames == (
        Frame(path="srv/app/a.py", function="main"),
        Frame(path="srv/app/b.py", function="run"),
    )
    assert [frame.path for frame in build_query("x", script).frames] == [
        "srv/lib/outer.js",
        "srv/lib/inner.js",
    ]


def test_frames_of_pytest_are_read() -> None:
    assert build_query("x", "src/a/b.py:12: ValueError\n").frames == (
        Frame(path="src/a/b.py", function="ValueError"),
    )


def test_paths_are_found_in_prose_links_and_windows_spelling() -> None:
    parsed = build_query(
        "In lib/cookie.js", "see https://x.org/o/r/blob/main/src/a.py#L3 and pkg\\mod\\b.py, version 1.2"
    )

    assert parsed.paths == ("lib/cookie.js", "x.org/o/r/blob/main/src/a.py", "pkg/mod/b.py")


def test_names_written_as_code_are_told_from_plain_words() -> None:
    parsed = build_query(
        "x", "The parse_header helper and getValue, or `extract` and strip(a), not plain words"
    )

    assert parsed.code_names == {"parse_header", "getValue", "extract", "strip"}


def test_an_overlong_body_keeps_its_beginning_and_its_end() -> None:
    parsed = build_query("x", "first " + "pad " * LONGEST_BODY + " final")

    assert {term("first"), term("final")} <= set(parsed.body)
    assert sum(parsed.body.values()) < LONGEST_BODY / 3


def test_a_japanese_report_has_words() -> None:
    assert term("認証") in build_query("ログイン認証の脆弱性").title


def test_a_path_is_words_without_its_ending_and_its_name() -> None:
    assert set(path_terms("forms/test_models.py")) == {*bag_of("forms test_models"), term("/test_models.py")}
    assert term("makefil") in path_terms("src/Makefile")
