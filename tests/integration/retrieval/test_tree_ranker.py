"""The front door against real folders and repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retrieval.domain import FileQuery
from retrieval.errors import NoTreeError, UnknownRevisionError
from retrieval.files.ranker import TreeRanker
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path

QUERY = FileQuery(
    title="Path traversal when extracting archives", body="`extract_all` follows `..` in names."
)
FILES = {
    "pack/archive.py": """def extract_all(archive, target):
    for name in archive.names:
        write(target + name)
""",
    "pack/colors.py": "def blend(one, other):\n    return one + other\n",
    "tests/test_archive.py": "def test_extract_all():\n    extract_all(archive, 'target')\n",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_a_plain_folder_is_ranked(tmp_path: Path) -> None:
    write(tmp_path, FILES)

    ranked = TreeRanker().rank(QUERY, tmp_path, k=10)

    assert ranked[0].path == "pack/archive.py"
    assert ranked[0].chunks[0].name == "extract_all"
    assert (ranked[0].chunks[0].start_line, ranked[0].chunks[0].end_line) == (1, 3)
    assert {one.path for one in ranked} == set(FILES)


def test_a_folder_inside_of_a_repository_is_ranked_as_a_folder(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.commit({"outside.py": "extract_all()\n"}, "Begin")
    write(tmp_path / "inside", FILES)

    assert {one.path for one in TreeRanker().rank(QUERY, tmp_path / "inside", k=10)} == set(FILES)


def test_a_repository_is_ranked_at_its_head_and_at_any_revision(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    first = workshop.commit({"pack/old.py": FILES["pack/archive.py"]}, "Begin")
    workshop.commit({"pack/old.py": None, **FILES}, "Move")

    assert TreeRanker().rank(QUERY, tmp_path, k=1)[0].path == "pack/archive.py"
    assert TreeRanker().rank(QUERY, tmp_path, k=1, revision=first)[0].path == "pack/old.py"
    with pytest.raises(UnknownRevisionError):
        TreeRanker().rank(QUERY, tmp_path, k=1, revision="nowhere")


def test_a_past_fix_speaks_for_the_file_it_changed_even_under_its_former_name(tmp_path: Path) -> None:
    same = "def a():\n    return 1\n" * 10
    workshop = Workshop(tmp_path)
    workshop.commit({"one.py": same, "former.py": same + "x = 1\n"}, "Begin")
    workshop.commit({"former.py": same + "x = 2\n"}, "Fix frobnication of gadgets")
    workshop.commit({"former.py": None, "now.py": same + "x = 2\n"}, "Rename")

    ranked = TreeRanker().rank(FileQuery(title="Gadgets: frobnication broken", body=""), tmp_path, k=2)

    assert [one.path for one in ranked] == ["now.py", "one.py"]
    assert ranked[0].signals["log_body"] == 1.0


def test_a_missing_folder_and_a_revision_without_git_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(NoTreeError, match="is not a folder"):
        TreeRanker().rank(QUERY, tmp_path / "nowhere", k=1)
    with pytest.raises(NoTreeError, match="leave --at out"):
        TreeRanker().rank(QUERY, tmp_path, k=1, revision="HEAD")


@pytest.mark.parametrize("files", [{}, {"only.py": "def extract_all(): ...\n"}])
def test_a_folder_of_none_or_one_file_is_no_trouble(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path, files)

    assert [one.path for one in TreeRanker().rank(QUERY, tmp_path, k=5)] == list(files)
