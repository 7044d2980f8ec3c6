"""Names in a text are found, and what only looks like one is not."""

from __future__ import annotations

from retrieval.commits import mentions
from retrieval.commits.words import class_terms, query_terms, security_words


def test_issue_numbers_in_every_spelling() -> None:
    text = "Fix #12, GH-13, PR 14, issue #15, https://host/o/r/pull/16/files and /issues/17; id=18. Not 1.19 or #x"

    assert mentions.issue_numbers(text) == {"12", "13", "14", "15", "16", "17", "18"}


def test_advisory_ids_in_lower_case() -> None:
    assert mentions.advisory_ids("cve-2020-1747, GHSA-6757-JP84-gxfx, PYSEC-2020-96, CVE-20-1") == {
        "cve-2020-1747",
        "ghsa-6757-jp84-gxfx",
        "pysec-2020-96",
    }


def test_file_and_module_names() -> None:
    text = "parse() in src/pack_utils.c and aiohttp.web_protocol, version 1.2"

    assert mentions.file_names(text) == {"pack_utils.c"}
    assert "web_protocol" in mentions.module_names(text)


def test_commits_that_a_message_cites() -> None:
    message = (
        "Fix (cherry picked from commit 75FCA0B00B4297d0a30c51ae97a65428336eb2c0)\n"
        "[PR #7661/85713a48 backport][3.8] title\nThis is a backport of abcdef1234 to stable"
    )

    assert mentions.cited_commits(message) == {
        "75fca0b00b4297d0a30c51ae97a65428336eb2c0",
        "85713a48",
        "abcdef1234",
    }


def test_commits_that_an_advisory_names() -> None:
    assert mentions.named_commits("addressed in commit `d5c12ba89` and commit 0123456") == (
        "d5c12ba89",
        "0123456",
    )
    assert mentions.named_commits("commit to defaced is no id") == ()
    assert mentions.linked_commit("https://host/o/r/commit/ABCDEF0123#diff") == "abcdef0123"
    assert mentions.linked_commit("https://host/o/r/pull/1/commits/abcdef0") == "abcdef0"
    assert mentions.linked_commit("https://host/o/r/issues/12") is None


def test_versions_that_a_text_calls_fixed() -> None:
    text = (
        "IPython before 3.2.2 and Jupyter Notebook 4.0.x before 4.0.5. Fixed in version 1.2.3rc1; upgrade to v2.0.1. "
        "Earlier than 5.6"
    )

    assert mentions.version_mentions(text).fixed == ("3.2.2", "4.0.5", "1.2.3rc1", "2.0.1", "5.6")


def test_versions_that_a_text_calls_the_last_affected() -> None:
    text = "WavPack through 5.1.0, tool 2.3 and earlier, up to and including 4.4; version 1.1 contains a flaw"

    assert mentions.version_mentions(text).last_affected == ("5.1.0", "2.3", "4.4", "1.1")
    assert mentions.version_mentions(text).fixed == ()


def test_ranges_are_read_as_versions() -> None:
    assert mentions.version_mentions("<4.0.5").fixed == ("4.0.5",)
    assert mentions.version_mentions(">= 2.0, < v3.1.0") == mentions.VersionMentions(
        fixed=("3.1.0",), last_affected=()
    )
    assert mentions.version_mentions("<= 2.4.1") == mentions.VersionMentions(
        fixed=(), last_affected=("2.4.1",)
    )


def test_silent_words_are_no_query() -> None:
    assert query_terms("An attacker may use the vulnerability in parse_header") == {
        "parse_header": 1,
        "pars": 1,
        "header": 1,
    }


def test_words_of_security_are_counted_once_each() -> None:
    assert security_words("Escape html: fixes XSS, prevents injection; escape again") == 3
    assert security_words("Add a feature") == 0


def test_the_kind_of_flaw_gives_the_words_of_its_fixes() -> None:
    assert {"escap", "html", "sanit"} <= class_terms("A cross-site scripting flaw")
    assert class_terms("Something unclear") == frozenset()
