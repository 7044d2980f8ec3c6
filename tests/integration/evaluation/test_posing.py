"""What a run may see of a case, and what it may not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from evaluation.repair.errors import SourceError
from evaluation.repair.posing import pose
from evaluation.repair.source import CaseSource, Entry, git_directory, write_tree
from tests.repair_cases import DEVELOPER_TEST, FIXED, build_case
from tests.repositories import START, Workshop

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.evaluation.conftest import Ground


def test_the_tree_has_no_history_no_fix_and_no_developer_test(ground: Ground) -> None:
    with pose(ground.case, ground.bench) as posed:
        files = {path.relative_to(posed.tree).as_posix() for path in posed.tree.rglob("*") if path.is_file()}
        text = "".join(path.read_text("utf-8") for path in posed.tree.rglob("*") if path.is_file())

    assert files == {"pyproject.toml", "shelf/__init__.py", "tests/test_shelf.py", "CHANGES.txt"}
    assert "test_refuses_what_is_outside" not in text
    assert "stay below the folder" not in text


def test_the_change_log_does_not_tell_of_the_fix(ground: Ground) -> None:
    with pose(ground.case, ground.bench) as posed:
        assert (posed.tree / "CHANGES.txt").read_text("utf-8") == "1.1: work\n1.0: first\n"
        assert posed.sanitised.removed == {"CHANGES.txt": ("1.0.1: SHELF-1, path traversal in read",)}


def test_nothing_in_the_path_names_the_flaw_and_nothing_is_left_behind(ground: Ground) -> None:
    with pose(ground.case, ground.bench) as posed:
        tree, judged = posed.tree, posed.judge.workspace.root
        assert ground.case.id not in str(tree)
        assert str(ground.cases) not in str(tree)
    assert (tree.exists(), judged.exists()) == (False, False)


def test_files_have_the_time_of_their_commit(ground: Ground) -> None:
    """A toolchain reckons the age of a project from its files."""
    with pose(ground.case, ground.bench) as posed:
        assert {path.stat().st_mtime for path in posed.tree.rglob("*") if path.is_file()} == {START + 86_400}


def test_the_ground_truth_is_what_the_fix_commit_has(ground: Ground) -> None:
    source = CaseSource(ground.case, ground.repositories)

    assert source.fix() == {"shelf/__init__.py": FIXED.encode()}
    assert source.developer_tests() == {"tests/test_shelf.py": DEVELOPER_TEST.encode()}
    assert set(source.before()) == {"shelf/__init__.py", "tests/test_shelf.py"}


def test_links_programs_line_ends_and_deletions_are_kept(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path / "repos" / "acme+shelf" / "repo")
    (workshop.path / "run.sh").write_text("#!/bin/sh\n")
    (workshop.path / "run.sh").chmod(0o755)
    (workshop.path / "link").symlink_to("run.sh")
    first = workshop.commit(
        {
            ".gitattributes": "crlf.txt eol=crlf\nleft.txt export-ignore\n",
            "crlf.txt": "a\n",
            "left.txt": "kept",
            "old.py": "1",
        },
        "first",
    )
    second = workshop.commit({"old.py": None}, "second")
    case = build_case(vulnerable_commit=first, fix_commit=second, fixed_files=("old.py",), test_files=())
    source = CaseSource(case, tmp_path / "repos")

    source.export(first, tmp_path / "tree")

    assert str((tmp_path / "tree" / "link").readlink()) == "run.sh"
    assert os.access(tmp_path / "tree" / "run.sh", os.X_OK)
    assert (tmp_path / "tree" / "crlf.txt").read_bytes() == b"a\r\n"
    assert (tmp_path / "tree" / "left.txt").read_text() == "kept"
    assert source.fix() == {"old.py": None}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"repo": "acme/none"}, "acme/none is not below"),
        ({"vulnerable_commit": "c" * 40}, "c{40}"),
        ({"test_files": ("tests/none.py",)}, "neither commit has tests/none.py"),
    ],
)
def test_what_is_missing_is_named(ground: Ground, changes: dict[str, object], said: str) -> None:
    known = {"vulnerable_commit": ground.case.vulnerable_commit, "fix_commit": ground.case.fix_commit}

    with pytest.raises(SourceError, match=said), pose(build_case(**(known | changes)), ground.bench):
        pass


def test_a_path_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    for path in ("../out.py", "a/.git/config"):
        with pytest.raises(SourceError, match="may not hold the path"):
            write_tree({path: Entry(mode="100644", content=b"")}, tmp_path, time=0)


@pytest.mark.parametrize("place", ["acme/shelf", "acme/shelf.git", "acme+shelf/repo", "acme+shelf/repo/.git"])
def test_repositories_are_found_in_each_of_their_forms(tmp_path: Path, place: str) -> None:
    (tmp_path / place / "objects").mkdir(parents=True)

    assert git_directory(tmp_path, "acme/shelf") == tmp_path / place
