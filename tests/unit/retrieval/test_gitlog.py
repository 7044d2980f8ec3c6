from __future__ import annotations

from retrieval.gitlog import Commit, FileChange, parse_log

RAW = b":100644 100644 " + b"a" * 40 + b" " + b"b" * 40


def fields(commit: bytes, message: bytes, *, parents: bytes = b"", time: bytes = b"12") -> list[bytes]:
    return [commit, parents, time, time, message]


def test_a_commit_without_changes_is_kept() -> None:
    assert [commit.changes for commit in parse_log([*fields(b"c1", b"empty"), b""])] == [()]


def test_changes_renames_and_copies_are_read() -> None:
    records = [*fields(b"c1", b"s\n\nbody", parents=b"p1 p2"), b"", b"\n" + RAW + b" M", b"a.py"]
    records += [RAW + b" R087", b"old.py", b"new.py", RAW + b" C100", b"from.py", b"to.py"]

    assert list(parse_log(records)) == [
        Commit(
            id="c1",
            parents=("p1", "p2"),
            author_time=12,
            commit_time=12,
            message="s\n\nbody",
            changes=(
                FileChange(path="a.py", status="M"),
                FileChange(path="new.py", status="R", old_path="old.py"),
                FileChange(path="to.py", status="C", old_path="from.py"),
            ),
        )
    ]


def test_commits_follow_one_another_with_and_without_changes() -> None:
    records = [
        *fields(b"c1", b"one"),
        b"",
        b"\n" + RAW + b" M",
        b"a",
        *fields(b"c2", b"two"),
        *fields(b"c3", b"three"),
    ]

    assert [(commit.id, len(commit.changes)) for commit in parse_log(records)] == [
        ("c1", 1),
        ("c2", 0),
        ("c3", 0),
    ]


def test_an_empty_log_gives_nothing() -> None:
    assert list(parse_log([])) == []


def test_the_subject_is_the_first_written_line() -> None:
    assert next(parse_log(fields(b"c1", b"\n\n  Fix it \nbody"))).subject == "Fix it"


def test_a_missing_time_is_zero_and_one_before_1970_negative() -> None:
    (first, second) = parse_log([*fields(b"c1", b"m", time=b""), *fields(b"c2", b"m", time=b"-5")])

    assert [first.commit_time, second.author_time] == [0, -5]


def test_undecodable_messages_and_paths_survive() -> None:
    (commit,) = parse_log([*fields(b"c1", b"caf\xe9"), RAW + b" A", b"caf\xe9.py"])

    assert [commit.message, commit.changes[0].path] == ["caf\N{REPLACEMENT CHARACTER}", "caf\udce9.py"]
