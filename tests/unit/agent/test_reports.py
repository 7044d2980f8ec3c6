"""Reports are read in every form they come in, and refused with one line that says what to do."""

from __future__ import annotations

import contextlib
import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.report import Report, Severity, Snippet, Visibility
from agent.errors import ReportError
from agent.reports import (
    MAXIMUM_BYTES,
    read_report,
    report_from_github_advisory,
    report_from_github_issue,
    report_from_osv,
)

MARKDOWN = """---
id: CVE-2020-7598
aliases: GHSA-vh95-rmgr-6w4m
cwe: [CWE-1321, 471]
severity: medium
affected: ["< 1.2.3"]
fixed: 1.2
published: 2020-03-11
---
# Prototype pollution

See https://example.org/a. Also cwe-20.

```js
require('minimist')(['--__proto__.x', '1'])
```
"""


def test_markdown_with_front_matter() -> None:
    """Front matter fields are normalised; the text gives title, snippets, links."""
    report = read_report(MARKDOWN)
    assert report.id == "CVE-2020-7598"
    assert report.title == "Prototype pollution"
    assert report.aliases == ("GHSA-vh95-rmgr-6w4m",)
    assert report.cwes == ("CWE-1321", "CWE-471", "CWE-20")
    assert report.severity is Severity.MODERATE
    assert (report.affected, report.fixed) == (("< 1.2.3",), ("1.2",))
    assert report.published == date(2020, 3, 11)
    assert report.references == ("https://example.org/a",)
    assert report.visibility is Visibility.PUBLIC
    assert report.snippets == (
        Snippet(language="javascript", code="require('minimist')(['--__proto__.x', '1'])\n"),
    )


def test_markdown_without_front_matter_takes_its_id_from_the_text() -> None:
    report = read_report(b"\xef\xbb\xbfA flaw, CVE-2024-1234\n\ntext GHSA-vh95-rmgr-6w4m")
    assert (report.id, report.aliases) == ("CVE-2024-1234", ("GHSA-vh95-rmgr-6w4m",))
    assert read_report("words only").id == "report"


def test_a_list_nested_too_deeply_is_refused() -> None:
    with pytest.raises(ReportError, match="nested too deeply"):
        read_report("[" * 200_000)


def test_an_unlabelled_session_is_python() -> None:
    (snippet,) = read_report("Flaw\n\n```\n>>> import os\n>>> os.getcwd()\n```\n").snippets
    assert (snippet.language, "os.getcwd()" in snippet.code) == ("python", True)


def test_a_thematic_break_is_no_front_matter() -> None:
    assert read_report("---\njust words\n---\nmore").body.startswith("---")


def test_empty_front_matter_is_allowed() -> None:
    assert read_report("---\n---\nA flaw").title == "A flaw"


def build_osv(**changes: object) -> dict[str, object]:
    record: dict[str, object] = {
        "id": "GHSA-vh95-rmgr-6w4m",
        "summary": "Traversal",
        "details": "Long text\n\n    indented()",
        "aliases": ["CVE-2020-1"],
        "published": "2020-01-02T03:04:05Z",
        "affected": [
            {"ranges": [{"events": [{"introduced": "0"}, {"fixed": "1.3"}]}], "versions": ["1.1", "1.2"]}
        ],
        "references": [{"type": "WEB", "url": "https://example.org/x"}],
        "database_specific": {"cwe_ids": ["CWE-22"], "severity": "HIGH"},
    }
    return record | changes


def test_osv_record() -> None:
    report = read_report(json.dumps(build_osv()))
    assert report == report_from_osv(build_osv())
    assert (report.cwes, report.severity) == (("CWE-22",), Severity.HIGH)
    assert (report.affected, report.fixed) == (("1.1", "1.2"), ("1.3",))
    assert report.published == date(2020, 1, 2)
    assert report.references == ("https://example.org/x",)


def test_osv_nulls_mean_absent() -> None:
    report = report_from_osv(build_osv(affected=None, references=None, database_specific=None, aliases=None))
    assert (report.cwes, report.affected, report.aliases) == ((), (), ())


def build_advisory(**changes: object) -> dict[str, object]:
    record: dict[str, object] = {
        "ghsa_id": "GHSA-vh95-rmgr-6w4m",
        "cve_id": "CVE-2020-7598",
        "summary": "Pollution",
        "description": "Long text",
        "severity": "critical",
        "state": "published",
        "cwes": [{"cwe_id": "CWE-1321", "name": "x"}],
        "identifiers": [{"type": "CVE", "value": "CVE-2020-7598"}],
        "vulnerabilities": [
            {"vulnerable_version_range": "< 1.2.3", "first_patched_version": {"identifier": "1.2.3"}},
            {"vulnerable_version_range": "< 0.2.1", "patched_versions": "0.2.1"},
        ],
        "references": ["https://example.org/a", {"url": "https://example.org/b"}],
        "published_at": "2020-03-11T00:00:00Z",
    }
    return record | changes


def test_github_advisory() -> None:
    report = read_report(json.dumps(build_advisory()))
    assert report == report_from_github_advisory(build_advisory())
    assert report.aliases == ("CVE-2020-7598",)
    assert (report.affected, report.fixed) == (("< 1.2.3", "< 0.2.1"), ("1.2.3", "0.2.1"))
    assert report.references == ("https://example.org/a", "https://example.org/b")


@pytest.mark.parametrize("state", ["triage", "draft", "closed", "withdrawn"])
def test_an_unpublished_advisory_is_private(state: str) -> None:
    """Only a published advisory is public; every other state must leave no public trace."""
    assert report_from_github_advisory(build_advisory(state=state)).visibility is Visibility.PRIVATE


def test_github_issue() -> None:
    issue = {"number": 7, "title": "XSS in CWE-79", "body": None, "labels": [{"name": "severity: high"}, "x"]}
    report = read_report(json.dumps(issue))
    assert report == report_from_github_issue(issue)
    assert (report.id, report.body, report.severity) == ("issue-7", "XSS in CWE-79", Severity.HIGH)
    assert report.cwes == ("CWE-79",)
    assert report_from_github_issue(issue | {"labels": None}).severity is Severity.UNKNOWN


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  \n\t", "is empty"),
        (b"\x7fELF\x00\x01", "binary"),
        (b"caf\xe9 \xff", "not UTF-8"),
        (b"x" * (MAXIMUM_BYTES + 1), "larger than 1 MB"),
        (b'{"a": ', "looks like JSON"),
        (b'{"a": 1}', "no OSV record"),
        (b'[{"id": 1}]', "holds a list"),
        (b'{"number": "x", "title": "t"}', "number"),
        (b'{"ghsa_id": 5}', "ghsa_id"),
        (b'{"id": "a", "details": []}', "details"),
        (b"---\nid: x\n---\n", "no text"),
        (b"---\nid: [\n---\ntext", "not valid YAML"),
        (b"---\na: &a [1]\nb: *a\n---\ntext", "not valid YAML"),
        (b"---\nunknown: 1\n---\ntext", "unknown"),
        (b"---\nvisibility: secret\n---\ntext", "visibility"),
        (b"---\npublished: soon\n---\ntext", "published"),
        (b"<!-- hidden -->", "no visible text"),
        (b"{" + b'"a":[' * 100_000, "nested too deeply|looks like JSON"),
    ],
)
def test_bad_input_gets_one_line(content: bytes, message: str) -> None:
    with pytest.raises(ReportError, match=message) as raised:
        read_report(content, name="report.md")
    assert "\n" not in str(raised.value)


def test_utf16_is_read() -> None:
    assert read_report("Überlauf in der Funktion".encode("utf-16")).title == "Überlauf in der Funktion"


def test_a_text_that_begins_with_a_bracket_is_markdown() -> None:
    assert read_report("[security] a flaw").title == "[security] a flaw"


@pytest.mark.parametrize(
    ("code", "language", "expected"),
    [
        ("import os\nos.system('x')", "", "python"),
        ("const a = require('x')", "", "javascript"),
        ("GET / HTTP/1.1", "", ""),
        ("x", "", ""),
        ("$ curl x", "console", "shell"),
        ("fn main() {}", "rust", "rust"),
    ],
)
def test_snippet_languages(code: str, language: str, expected: str) -> None:
    report = read_report(f"Flaw\n\n```{language}\n{code}\n```\n")
    assert [snippet.language for snippet in report.snippets] == [expected]


def test_an_interactive_session_becomes_a_program() -> None:
    (snippet,) = read_report("Flaw\n\n```pycon\n>>> import os\n>>> os.getcwd()\n'/'\n```\n").snippets
    assert snippet.language == "python"
    compile(snippet.code, "x", "exec")
    assert "os.getcwd()" in snippet.code


def test_a_broken_session_stays_as_it_is() -> None:
    (snippet,) = read_report("Flaw\n\n```py\n>>>x\n>>> 1\n  bad\n```\n").snippets
    assert snippet.code.startswith(">>>x")


def test_empty_blocks_are_no_snippets() -> None:
    assert read_report("Flaw\n\n```py\n\n```\n").snippets == ()


def test_ids_are_fit_for_file_names() -> None:
    assert read_report("---\nid: '../../etc/passwd'\n---\ntext").id == "etc-passwd"


@given(st.one_of(st.text(), st.binary()))
def test_any_input_is_a_report_or_a_report_error(content: str | bytes) -> None:
    """No input whatsoever makes the reader fail in another way."""
    report: Report | None = None
    with contextlib.suppress(ReportError):
        report = read_report(content)
    assert report is None or report.id


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": "x", "details": "d", "n": ' + "1" * 5000 + "}", "number that is too long"),
        ("---\ncwe: " + "1" * 5000 + "\n---\ntext", "date or number"),
        ("---\npublished: 2020-13-45\n---\ntext", "date or number"),
        ("---\npublished: 2020-01-01T99:99:99Z\n---\ntext", "date or number"),
        ("---\npublished: 2020-01-01T00:00:00+99:99\n---\ntext", "date or number"),
        ("---\ncwe: 0x__\n---\ntext", "date or number"),
        ("---\na: " + "[" * 9000 + "\n---\ntext", "nested too deeply"),
    ],
)
def test_values_that_no_parser_can_hold_are_refused_in_one_line(content: str, message: str) -> None:
    with pytest.raises(ReportError, match=message):
        read_report(content)


def test_half_a_character_can_be_written_again() -> None:
    """JSON may hold lone surrogates, which no file can."""
    report = read_report(
        '{"id": "x", "summary": "t \\udfff", "details": "a \\ud800 b", "aliases": ["\\ud800y"]}'
    )
    assert (report.title, report.body, report.aliases) == ("t", "a  b", ("y",))
    assert report.notices == ("removed 1 halves of characters",)


def test_ids_and_links_of_a_record_are_single_visible_lines() -> None:
    """They stand in the text of a pull request: no second paragraph, no hidden character."""
    record = {
        "id": "x",
        "details": "d",
        "aliases": ["a\n\n/patch stop", "\u202eb", ""],
        "references": [{"url": "https://e.example/\x1b[2J"}],
        "affected": [{"versions": ["1\n2"] + [str(number) for number in range(9000)]}],
    }
    report = report_from_osv(record)
    assert report.aliases == ("a /patch stop", "b")
    assert report.references == ("https://e.example/",)
    assert report.affected[0] == "1 2"
    assert len(report.affected) <= 200


@pytest.mark.parametrize(
    "block",
    ["\n" * 400_000 + "x", " " * 400_000 + "x", "import a " * 50_000, "const" * 80_000, "(" * 100_000],
)
@pytest.mark.timeout(20)
def test_a_code_block_is_read_in_time_that_grows_with_its_length(block: str) -> None:
    assert read_report(f"A flaw.\n\n```\n{block}\n```\n").title == "A flaw."


@pytest.mark.timeout(30)
def test_thousands_of_code_blocks_are_cut() -> None:
    assert len(read_report("A flaw\n" + "```python\nrun(1)\n```\n" * 20_000).snippets) == 200
