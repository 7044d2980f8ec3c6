"""Which tree entries a patch becomes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.github.errors import PublicationRefusedError
from bot.github.trees import Change, Entry, blob_sha, checked_path, tree_changes


def test_the_id_of_a_blob_is_gits() -> None:
    """Known from ``git hash-object``."""
    assert blob_sha(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_modes_are_kept_and_what_did_not_change_is_left_out() -> None:
    entries = {
        "run": Entry("100755", blob_sha(b"old")),
        "same": Entry("100644", blob_sha(b"same")),
        "gone": Entry("100644", blob_sha(b"gone")),
        "link": Entry("120000", blob_sha(b"run")),
        "new": None,
        "never": None,
    }
    changes = {"run": b"new", "same": b"same", "gone": None, "link": None, "new": b"x", "never": None}

    assert tree_changes(changes, entries) == (
        Change("gone", "100644", None),
        Change("link", "120000", None),
        Change("new", "100644", b"x"),
        Change("run", "100755", b"new"),
    )


@pytest.mark.parametrize("mode", ["120000", "160000", "040000"])
def test_only_regular_files_are_rewritten(mode: str) -> None:
    """Neither a link, nor a submodule, nor a folder becomes a file."""
    with pytest.raises(PublicationRefusedError, match="no regular file"):
        tree_changes({"x": b"new"}, {"x": Entry(mode, "0" * 40)})


def test_a_submodule_is_not_deleted() -> None:
    with pytest.raises(PublicationRefusedError):
        tree_changes({"x": None}, {"x": Entry("160000", "0" * 40)})


def test_a_patch_that_changes_nothing_is_refused() -> None:
    with pytest.raises(PublicationRefusedError, match="changes nothing"):
        tree_changes({"x": b"1"}, {"x": Entry("100644", blob_sha(b"1"))})


@pytest.mark.parametrize(
    "path",
    [
        *("", "/a", "a//b", "a/./b", "../a", "a/..", "a\0b"),
        *(".git/config", "a/.GIT/x"),
        *(".github/workflows", ".github/workflows/ci.yml", ".GITHUB/Workflows/ci.yml"),
    ],
)
def test_paths_outside_and_workflows_are_refused(path: str) -> None:
    with pytest.raises(PublicationRefusedError):
        checked_path(path)


@pytest.mark.parametrize("path", ["a", ".gitignore", ".github/suture.yml", "a b/ü.py", ".github/workflowsx"])
def test_other_paths_are_taken(path: str) -> None:
    assert checked_path(path) == path


@given(st.binary(max_size=200))
def test_text_travels_as_text_only_when_it_comes_back_the_same(content: bytes) -> None:
    """What is sent as text is the content; everything else goes as base64."""
    text = Change("x", "100644", content).text

    assert text is None or text.encode() == content


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"a\r\nb\n", "a\r\nb\n"),
        (b"no end", "no end"),
        (b"", ""),
        ("é".encode(), "é"),
        (b"\xff", None),
        (b"a\0", None),
        ("\ufeffbom".encode(), None),
        (None, None),
    ],
)
def test_what_travels_as_text(content: bytes | None, text: str | None) -> None:
    assert Change("x", "100644", content).text == text
