from __future__ import annotations

import pytest

from retrieval.files.document import bag_of
from retrieval.files.history import MOST_FILES, History
from retrieval.files.past import encode_commit, past_log, words_of
from retrieval.gitlog import Commit, FileChange
from tests.unit.retrieval.files.build import NOW, build_log

AT = {"a.py": 0, "b.py": 1, "c.py": 2}


def test_a_file_has_the_best_of_its_changes_over_the_root_of_their_size() -> None:
    history = History(build_log(("x", ("a.py",)), ("y", ("a.py", "b.py", "c.py", "gone.py"))), AT, NOW)

    assert history.spread([(0, 0.5), (1, 1.0)]).tolist() == [0.5, 0.5, 0.5]
    assert history.spread([(0, 0.2)]).tolist() == [0.2, 0.0, 0.0]


def test_the_likest_messages_come_first_and_the_newer_among_equals() -> None:
    log = build_log(("Parse cookies", ()), ("Paint", ()), ("Cookies", ()), ("Cookies", ()))
    query = dict.fromkeys(bag_of("cookies"), 1.0)

    assert [at for at, _ in log.nearest(query)] == [2, 3, 0]
    assert [at for at, _ in log.nearest(query, count=1)] == [2]
    assert [at for at, _ in log.nearest(query, after=3)] == [3]
    assert log.nearest(query)[0][1] == 1.0
    assert log.nearest({1: 1.0}) == ()


def test_recency_halves_in_180_days_and_takes_the_latest_change() -> None:
    log = build_log(("x", ("a.py",)), ("y", ("a.py", "b.py")), ages=[180, 360])

    assert History(log, AT, NOW).recency().tolist() == pytest.approx([0.5, 0.25, 0.0])
    assert History(log, AT, NOW).recency(after=1).tolist() == pytest.approx([0.5, 0.5, 0.0])


def test_no_history_says_nothing() -> None:
    history = History(build_log(), AT, NOW)

    assert build_log().nearest({1: 1.0}) == ()
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

    assert [change.paths for change in past_log(log).changes] == [("c",)] * 4


def test_a_name_used_again_after_a_rename_is_another_file() -> None:
    log = [
        commit("3", modified("a")),
        commit("2", FileChange(path="b", status="R", old_path="a")),
        commit("1", modified("a")),
    ]

    assert [change.paths for change in past_log(log).changes] == [("a",), ("b",), ("b",)]


def test_a_sweep_is_left_out_but_its_renames_are_followed() -> None:
    moves = [FileChange(path=f"src/{n}", status="R", old_path=f"{n}") for n in range(MOST_FILES + 1)]

    assert [
        change.paths for change in past_log([commit("2", *moves), commit("1", modified("7"))]).changes
    ] == [("src/7",)]


def test_a_commit_survives_its_bytes() -> None:
    log = past_log([commit("1", modified("caf\udce9.py"), message="Fix cookies\n\nSigned-off-by: A B")])
    (kept,) = log.changes

    assert (kept.id, kept.time, kept.subject, kept.paths, kept.fixes) == (
        "1",
        7,
        "Fix cookies",
        ("caf\udce9.py",),
        True,
    )
    assert log.messages.size == 1
    assert [log.messages.postings(number)[1].tolist() for number in words_of("Fix cookies")] == [[1], [1]]


def test_commits_without_files_are_left_out() -> None:
    assert list(past_log([commit("1")]).changes) == []
