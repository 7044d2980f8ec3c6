from __future__ import annotations

import pytest

from evaluation.repair.collisions import is_test, with_developer_tests, without_test_changes
from evaluation.repair.errors import CollisionError

BASE = b"one\ntwo\nthree\nfour\nfive\n"
OURS = BASE.replace(b"one", b"ONE")
THEIRS = BASE.replace(b"five", b"FIVE")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/a.py", True),
        ("test/a.js", True),
        ("src/__tests__/a.js", True),
        ("src/a.test.js", True),
        ("pkg/test_a.py", True),
        ("pkg/a_test.py", True),
        ("test.js", True),
        ("conftest.py", True),
        ("pkg/pytest.ini", True),
        ("fixtures/a.zip", True),
        ("src/attest.py", False),
        ("latest/a.py", False),
        ("src/contest.py", False),
        ("pkg/testing_tools.py", False),
    ],
)
def test_tests_are_told_by_their_place_and_name(path: str, expected: bool) -> None:
    assert is_test(path) is expected


def test_a_patch_may_add_tests_but_not_change_which_of_the_old_ones_count() -> None:
    changes = {
        "a.py": b"fixed",
        "tests/test_old.py": b"",
        "tests/test_gone.py": None,
        "tests/test_new.py": b"new",
        "conftest.py": b"collect_ignore = ['tests']",
    }

    kept, held = without_test_changes(
        changes, {"tests/test_old.py": b"x", "tests/test_gone.py": b"x", "a.py": b"y"}
    )

    assert kept == {"a.py": b"fixed", "tests/test_new.py": b"new"}
    assert held == ("tests/test_old.py", "tests/test_gone.py", "conftest.py")


def test_the_developers_version_replaces_what_the_patch_left_alone() -> None:
    joined = with_developer_tests({"a.py": b"x"}, {"t.py": THEIRS, "old.py": None}, {"t.py": BASE})

    assert joined == {"a.py": b"x", "t.py": THEIRS, "old.py": None}


def test_both_sides_are_merged_three_ways() -> None:
    joined = with_developer_tests({"t.py": OURS}, {"t.py": THEIRS}, {"t.py": BASE})

    assert joined["t.py"] == b"ONE\ntwo\nthree\nfour\nFIVE\n"


def test_the_same_change_on_both_sides_is_no_collision() -> None:
    assert with_developer_tests({"t.py": THEIRS}, {"t.py": THEIRS}, {"t.py": BASE}) == {"t.py": THEIRS}


def test_a_new_file_of_both_sides_is_the_developers() -> None:
    assert with_developer_tests({"t.py": OURS}, {"t.py": THEIRS}, {}) == {"t.py": THEIRS}


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (BASE.replace(b"five", b"5"), THEIRS, "change the same lines"),
        (None, THEIRS, "is deleted by one"),
        (OURS, None, "is deleted by one"),
        (b"\x00binary", THEIRS, "cannot be merged"),
    ],
)
def test_what_cannot_be_joined_is_a_fault_of_the_pipeline(
    ours: bytes | None, theirs: bytes | None, said: str
) -> None:
    with pytest.raises(CollisionError, match=said):
        with_developer_tests({"t.py": ours}, {"t.py": theirs}, {"t.py": BASE})
