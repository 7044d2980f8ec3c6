from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from retrieval.embedders.svd import SVDEmbedder
from retrieval.errors import PastIssuesError
from retrieval.files.issues import IssueMemory, issue_counts, issue_scores
from retrieval.files.issues_file import IssuesFile, seconds
from tests.unit.retrieval.files.build import build_issue

if TYPE_CHECKING:
    from pathlib import Path

ISSUES = [
    build_issue("1", "Cookie header parsed wrongly", "cookie.py", time=1),
    build_issue("2", "Canvas colors bleed", "paint.py", "canvas.py", time=2),
    build_issue("3", "Cookie names accept spaces", "cookie.py", time=3),
]


def test_the_likest_issue_comes_first_and_later_ones_are_silent() -> None:
    memory = IssueMemory.learn(SVDEmbedder(), ISSUES)

    assert {one.issue.id for one in memory.similar("Cookie names", "", before=10, k=2)} == {"1", "3"}
    assert {one.issue.id for one in memory.similar("Cookie names", "", before=3, k=3)} <= {"1", "2"}
    assert memory.similar("Canvas colors bleed", "", before=10, k=3)[0].issue.id == "2"


def test_a_memory_without_issues_is_silent() -> None:
    assert IssueMemory.learn(SVDEmbedder(), []).similar("x", "", before=10, k=5) == ()


def test_adding_an_issue_again_replaces_it() -> None:
    memory = IssueMemory.learn(SVDEmbedder(), ISSUES)
    memory.add([])
    memory.add([build_issue("1", "Canvas colors bleed", "paint.py", time=1)])

    assert len(memory.issues) == 3
    assert {one.issue.id for one in memory.similar("Canvas colors bleed", "", before=10, k=2)} == {"1", "2"}


def test_files_share_the_likeness_and_the_paper_counts() -> None:
    similar = IssueMemory.learn(SVDEmbedder(), ISSUES).similar("Canvas colors bleed", "", before=10, k=1)
    at = {"cookie.py": 0, "paint.py": 1, "canvas.py": 2}

    assert issue_scores(similar, at).tolist() == pytest.approx([0, 0.5**0.5, 0.5**0.5], abs=1e-5)
    assert issue_counts(similar, at).tolist() == [0, 1, 1]


LINE = '{"id": 7, "title": "T", "body": null, "files": ["a.py"], "closed_at": "1970-01-02T00:00:00Z"}'


@pytest.mark.parametrize("name", ["i.jsonl", "i.jsonl.gz"])
def test_issues_are_read_from_a_file(tmp_path: Path, name: str) -> None:
    content = f"{LINE}\n\n".encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)

    (issue,) = IssuesFile(tmp_path / name).closed()

    assert (issue.id, issue.title, issue.body, issue.files, issue.time) == ("7", "T", "", ("a.py",), 86_400)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"id": 1}', LINE.replace("1970-01-02T00:00:00Z", "soon"), LINE.replace('["a.py"]', "3")],
)
def test_a_line_that_is_no_issue_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "i.jsonl").write_text(f"{LINE}\n{line}\n")

    with pytest.raises(PastIssuesError, match="line 2: each line needs"):
        list(IssuesFile(tmp_path / "i.jsonl").closed())


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.gz").write_bytes(b"no gzip")

    for name in ("missing.jsonl", "broken.gz"):
        with pytest.raises(PastIssuesError, match=name):
            list(IssuesFile(tmp_path / name).closed())


def test_a_moment_without_a_zone_is_utc() -> None:
    assert seconds("1970-01-01T00:00:01") == seconds("1970-01-01T01:00:01+01:00") == 1
