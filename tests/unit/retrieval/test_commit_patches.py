"""The bytes of ``git log`` become a commit, whatever they hold."""

from __future__ import annotations

from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from retrieval.commits import patches
from retrieval.commits.domain import FileChange
from retrieval.commits.history import RECORD_BYTES, records
from retrieval.commits.patches import commit_of, unquoted

HEADER = b"\0\0" + b"a" * 40 + b"\0p1 p2\x00100\x00200\x00Subject \n\nBody\0\n"


def test_a_record_is_read_in_full() -> None:
    diff = (
        b"3\t1\tsrc/a.py\n-\t-\tlogo.png\n"
        b"\ndiff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n"
        b"@@ -1 +1,3 @@ def check(path):\n-old\n+new\n+--- not a header\n\\ No newline at end of file\n"
        b"@@ -9,0 +9 @@ class Store\n+last"
    )

    commit = commit_of(HEADER + diff)

    assert (commit.id, commit.parents, commit.authored, commit.committed) == (
        "a" * 40,
        ("p1", "p2"),
        100,
        200,
    )
    assert (commit.subject, commit.message) == ("Subject", "Subject \n\nBody")
    assert commit.changes == (
        FileChange(path="src/a.py", added=3, deleted=1),
        FileChange(path="logo.png", added=None, deleted=None),
    )
    assert commit.sections == ("def check(path):", "class Store")
    assert commit.lines == ("-old", "+new", "+--- not a header", "+last")


def test_a_record_without_trees_has_its_message_and_names() -> None:
    commit = commit_of(HEADER + b":100644 100644 aaa bbb M\tsrc/a.py\n", complete=False)

    assert (commit.changes, commit.complete) == (
        (FileChange(path="src/a.py", added=None, deleted=None),),
        False,
    )


def test_a_record_cut_anywhere_is_still_a_commit() -> None:
    whole = HEADER + b"1\t1\ta\n\ndiff --git a/a b/a\n@@ -1 +1 @@\n-x\n+y\n"

    assert {commit_of(whole[:end]).id for end in range(43, len(whole))} == {"a" * 40}


def test_each_file_and_each_commit_give_a_bounded_number_of_lines() -> None:
    line = b"+" + b"x" * 99 + b"\n"
    file = b"\ndiff --git a/f b/f\n@@ -1 +1 @@\n" + line * 1_000

    one = commit_of(HEADER + b"1\t1\tf\n" + file)
    many = commit_of(HEADER + b"1\t1\tf\n" + file * 50)

    assert len(one.lines) == patches.FILE_CHARACTERS // 100
    assert len(many.lines) == patches.COMMIT_CHARACTERS // 100


def test_a_line_without_end_is_cut() -> None:
    commit = commit_of(HEADER + b"1\t0\tmin.js\n\ndiff --git a/m b/m\n@@ -0,0 +1 @@\n+" + b"y" * 1_000_000)

    assert [len(line) for line in commit.lines] == [patches.LINE_CHARACTERS - 1]


def test_a_message_of_a_megabyte_is_cut() -> None:
    commit = commit_of(b"\0\0" + b"a" * 40 + b"\0\x001\x001\0" + b"long " * 200_000 + b"\0\n")

    assert len(commit.message) <= patches.MESSAGE_CHARACTERS


def test_times_that_are_none_are_zero() -> None:
    commit = commit_of(b"\0\0" + b"a" * 40 + b"\0\0\0soon\0message\0")

    assert (commit.authored, commit.committed) == (0, 0)


def test_quoted_paths_are_read_as_they_are() -> None:
    assert unquoted(rb'"tab\there \"q\" \303\251"') == 'tab\there "q" é'
    assert unquoted(b"plain") == "plain"
    assert unquoted(b'"') == '"'


@given(
    st.lists(st.binary(max_size=50).map(lambda raw: raw.replace(b"\0", b"").replace(b"\n", b"")), max_size=5)
)
def test_the_stream_is_cut_at_each_record(bodies: list[bytes]) -> None:
    stream = b"\n".join(b"\0\0" + body for body in bodies)

    assert list(records(BytesIO(stream))) == [b"\0\0" + body for body in bodies]


def test_a_record_larger_than_the_bound_is_cut_and_the_next_is_whole() -> None:
    stream = b"\0\0" + b"x" * (3 * RECORD_BYTES) + b"\n\0\0next"

    first, second = records(BytesIO(stream))

    assert (len(first), second) == (RECORD_BYTES, b"\0\0next")


def test_records_meet_over_the_edge_of_a_block() -> None:
    for size in range((1 << 20) - 6, (1 << 20) + 3):
        first, second = records(BytesIO(b"\0\0" + b"x" * size + b"\n\0\0y"))
        assert (len(first), second) == (size + 2, b"\0\0y")


def test_what_stands_before_the_first_record_is_no_record() -> None:
    assert list(records(BytesIO(b"warning: odd\n"))) == []
