"""One contract for the real commits and those of the fake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retrieval.commits.reading import RepositoryCommits
from retrieval.errors import RetrievalError
from retrieval.git import GitRepository
from tests.fakes.tracing import MemoryCommits
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path

    from agent.tracing.ports import CommitSource


@pytest.fixture(params=["real", "fake"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[CommitSource, str]:
    workshop = Workshop(tmp_path / "work")
    workshop.commit({"a.py": "one\ntwo\n", "b*.py": "b\n"}, "Begin")
    head = workshop.commit({"a.py": "one\n2\n"}, "Change")
    real = RepositoryCommits(GitRepository(workshop.path))
    if request.param == "real":
        return real, head
    diffs = {(head, "a.py"): real.file_diff(head, "a.py", limit=10_000)}
    return MemoryCommits([real.commit(head)], diffs), head


def test_a_commit_is_read_by_its_id(source: tuple[CommitSource, str]) -> None:
    commits, head = source

    assert (commits.commit(head).id, commits.commit(head).subject) == (head, "Change")


def test_a_file_has_its_difference_with_context(source: tuple[CommitSource, str]) -> None:
    commits, head = source

    assert commits.file_diff(head, "a.py", limit=10_000).splitlines()[-3:] == [" one", "-two", "+2"]


def test_a_difference_is_cut(source: tuple[CommitSource, str]) -> None:
    commits, head = source

    assert len(commits.file_diff(head, "a.py", limit=20)) == 20


def test_a_file_that_is_not_changed_has_none(source: tuple[CommitSource, str]) -> None:
    commits, head = source

    assert commits.file_diff(head, "b*.py", limit=100) == ""
    assert commits.file_diff(head, "../../etc/passwd", limit=100) == ""


def test_an_unknown_commit_is_an_error(source: tuple[CommitSource, str]) -> None:
    commits, _ = source

    with pytest.raises(RetrievalError):
        commits.commit("f" * 40)
    with pytest.raises(RetrievalError):
        commits.file_diff("f" * 40, "a.py", limit=100)
