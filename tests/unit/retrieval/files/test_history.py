from __future__ import annotations

import numpy as np
import pytest

from retrieval.files.history import MOST_FILES, History
from retrieval.files.past import encode_commit, past_changes, words_of
from retrieval.gitlog import Commit, FileChange
from tests.unit.retrieval.files.build import DAY, build_change

AT = {"a.py": 0, "b.py": 1, "c.py": 2}
NOW = 1_000 * DAY


def test_a_file_has_the_best_of_its_changes_over_the_root_of_their_size() -> None:
    history = History(
        [build_change("x", "a.py"), build_change("y", "a.py", "b.py", "c.py", "gone.py")], AT, NOW
    )

    assert history.spread([(0, 0.5), (1, 1.0)]).tolist() == [0.5, 0.5, 0.5]


def test_the_nearest_changes_come_first_and_the_newer_among_equals() -> None:
    history = History([build_change("x", "a.py")] * 4, AT, NOW)

    assert history.nearest(np.array([1.0, 0.0, 2.0, 2.0]), 3) == [(2, 1.0), (3, 1.0), (0, 0.5)]
    assert history.nearest(np.zeros(4)) == []


def test_recency_halves_in_180_days_and_takes_the_latest_change() -> None:
    changes = [build_change("x", "a.py", age=180), build_change("y", "a.py", "b.py", age=360)]

    assert History(changes, AT, NOW).recency().tolist() == pytest.approx([0.5, 0.25, 0.0])


def test_a_sweep_through_the_tree_says_nothing_of_any_file() -> None:
    many = [f"f{number}.py" for number in range(MOST_FILES)]
    history = History([build_change("Reformat", "a.py", *many)], AT, NOW)

    assert history.recency().tolist() == [0.0, 0.0, 0.0]


def test_no_history_says_nothing() -> None:
    history = History([], AT, NOW)

    assert history.nearest(history.messages.scores({1: 1.0})) == []
    assert history.recency().tolist() == [0.0, 0.0, 0.0]


def commit(identity: str, *changes: FileChange, message: str = "Fix it") -> tuple[str, bytes]:
    made = Commit(id=identity, parents=(), author_time=1, commit_time=7, message=message, changes=changes)
    return identity, encode_commit(made)


def modified(path: str) -> FileChange:
    return FileChange(path=path, status="M")


def test_older_changes_follow_renames_over_several_steps() -> None:
    renames = [FileChange(path="c", status="R", old_path="b"), FileChange(path="b", status="R", old_path="a")]
    log = [
        commit("4", modified("c")),
        commit("3", renames[0]),
        commit("2", renames[1]),
        commit("1", modified("a")),
    ]

    assert [change.paths for change in past_changes(log)] == [("c",)] * 4


def test_a_name_used_again_after_a_rename_is_another_file() -> None:
    log = [
        commit("3", modified("a")),
        commit("2", FileChange(path="b", status="R", old_path="a")),
        commit("1", modified("a")),
    ]

    assert [change.paths for change in past_changes(log)] == [("a",), ("b",), ("b",)]


def test_a_sweep_is_left_out_but_its_renames_are_followed() -> None:
    moves = [FileChange(path=f"src/{n}", status="R", old_path=f"{n}") for n in range(MOST_FILES + 1)]

    assert [change.paths for change in past_changes([commit("2", *moves), commit("1", modified("7"))])] == [
        ("src/7",)
    ]


def test_a_commit_survives_its_bytes() -> None:
    (kept,) = past_changes(
        [commit("1", modified("caf\udce9.py"), message="Fix cookies\n\nSigned-off-by: A B")]
    )

    assert (kept.id, kept.time, kept.subject, kept.paths, kept.fixes) == (
        "1",
        7,
        "Fix cookies",
        ("caf\udce9.py",),
        True,
    )
    assert kept.words.terms.tolist() == words_of("Fix cookies").terms.tolist()


def test_commits_without_files_are_left_out() -> None:
    assert list(past_changes([commit("1")])) == []
