"""Trees, histories and reports that nobody means well with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from retrieval.domain import FileQuery
from retrieval.files.history import MOST_FILES
from retrieval.files.query import parse
from retrieval.files.ranker import TreeRanker
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path

QUERY = FileQuery(title="Cookie parser accepts bad names", body="")
GOOD = {
    "lib/cookie.js": "function parseCookie (text) {\n  return names(text)\n}\n",
    "lib/paint.js": "function paint () {}\n",
}


def best(path: Path, query: FileQuery = QUERY) -> str:
    return TreeRanker().rank(query, path, k=1)[0].path


def test_a_minified_line_of_20_megabytes_is_found_by_its_name_and_costs_nothing(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.commit({**GOOD, "bundle.js": "var cookie=parse(name);" * 900_000}, "Begin")
    started = time.process_time()

    assert best(tmp_path) == "lib/cookie.js"
    assert best(tmp_path, FileQuery(title="bundle.js is large", body="")) == "bundle.js"
    assert time.process_time() - started < 10


def test_a_minified_file_below_the_limit_drowns_nothing(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.commit({**GOOD, "bundle.js": "var cookieName=parse(badName);" * 30_000}, "Begin")

    assert best(tmp_path) == "lib/cookie.js"


@pytest.mark.parametrize(
    "text",
    [
        "cookie " * 150_000,
        "<!--" * 250_000,
        "a" * 1_000_000,
        "@a" * 500_000,
        "\n" * 1_000_000,
        "```" * 333_000,
        "at a.b " * 140_000,
        'File "' * 160_000,
        "a_" * 500_000,
        "a/b." * 250_000,
        "(" * 1_000_000,
        "x(" * 500_000,
    ],
    ids=lambda text: text[:7].strip(),
)
def test_a_report_of_a_megabyte_is_read_in_a_moment(text: str) -> None:
    started = time.process_time()
    parse(FileQuery(title=text, body=text))
    parse(FileQuery(title="x", body=text))

    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "text",
    ["\n" * 900_000, "from a import (\n" * 50_000, "{" * 900_000, "class A" * 100_000, "# \n" * 300_000],
)
def test_a_file_of_a_megabyte_is_read_in_a_moment(tmp_path: Path, text: str) -> None:
    workshop = Workshop(tmp_path)
    workshop.commit({**GOOD, "a.py": text, "a.js": text, "a.java": text, "a.md": text}, "Begin")
    started = time.process_time()

    assert best(tmp_path) == "lib/cookie.js"
    assert time.process_time() - started < 30


def test_a_japanese_report_finds_japanese_code_and_the_names_in_it(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.commit({**GOOD, "lib/login.js": "// ログイン認証を行う\nfunction login () {}\n"}, "Begin")

    assert best(tmp_path, FileQuery(title="ログイン認証の脆弱性", body="")) == "lib/login.js"
    assert best(tmp_path, FileQuery(title="脆弱性", body="parseCookieに問題があります")) == "lib/cookie.js"


def test_an_empty_repository_has_no_files(tmp_path: Path) -> None:
    Workshop(tmp_path)

    assert TreeRanker().rank(QUERY, tmp_path, k=5) == ()


def test_a_repository_of_one_file_ranks_it(tmp_path: Path) -> None:
    Workshop(tmp_path).commit({"only.py": "x = 1\n"}, "Begin")

    assert best(tmp_path) == "only.py"


def test_the_only_source_stands_before_documents_when_nothing_can_be_compared(tmp_path: Path) -> None:
    """A single file of its kind has the least and the most of every signal: all scores are zero."""
    files = {"CHANGES.txt": "cookie parser accepts bad names\n", "lib/cookie.js": "let one\n"}
    Workshop(tmp_path).commit(files, "Begin")

    assert [one.path for one in TreeRanker().rank(QUERY, tmp_path, k=2)] == ["lib/cookie.js", "CHANGES.txt"]


def test_commits_of_ten_thousand_files_do_not_drown_the_one_that_speaks(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    many = {f"gen/f{number}.js": f"let v{number}\n" for number in range(10_000)}
    workshop.commit(
        {**many, "lib/a.js": "let one\n", "lib/b.js": "let two\n"},
        "Cookie parser accepts bad names: reformat",
    )
    workshop.commit({"lib/b.js": "let two = 2\n"}, "Fix cookie parser that accepts bad names")

    ranked = TreeRanker().rank(QUERY, tmp_path, k=3)

    assert ranked[0].path == "lib/b.js"
    assert [one.signals["log_title"] for one in ranked] == [1.0, 0.0, 0.0]
    assert len(many) > MOST_FILES


def test_a_history_of_merges_only_speaks(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.commit({"a.js": "let a\n", "b.js": "let b\n"}, "Begin")
    for number in range(3):
        workshop.git("checkout", "-q", "-b", f"side{number}")
        workshop.commit({"b.js": f"let b = {number}\n"}, "wip")
        workshop.git("checkout", "-q", "main")
        workshop.git(
            "merge", "-q", "--no-ff", "-m", "Merge: cookie parser refuses bad names", f"side{number}"
        )

    assert best(tmp_path) == "b.js"


def test_a_repository_whose_contents_are_gone_says_so_in_one_line(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.commit(GOOD, "Begin")
    blob = workshop.git("rev-parse", "HEAD:lib/paint.js")
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    assert best(tmp_path) == "lib/cookie.js"
