"""Archives: what is packed comes back, and a hostile stream yields only wanted regular files."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.sandbox.archives import escaped, files_archive, regular_files, tree_command

NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=150)


def stream_of(*members: tuple[str, bytes, bytes]) -> bytes:
    """Return a GNU tar stream of (name, type, content or link target)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            if kind == tarfile.REGTYPE:
                member.size = len(content)
            else:
                member.linkname = content.decode()
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


@given(st.dictionaries(NAMES.filter(lambda name: name != ".."), st.binary(max_size=2000), max_size=5))
def test_what_is_packed_is_read_back(files: dict[str, bytes]) -> None:
    below = {f"top/{name}": content for name, content in files.items()}
    assert regular_files(files_archive(below), ["top"]) == below


@given(st.binary(max_size=3000))
def test_any_bytes_are_read_without_error(stream: bytes) -> None:
    assert set(regular_files(stream, ["a"])) <= {"a"}


@given(st.integers(min_value=0, max_value=4000))
def test_a_stream_cut_short_yields_only_whole_files(length: int) -> None:
    files = {"a/1": b"x" * 700, "a/2": b"y" * 600}
    found = regular_files(files_archive(files)[:length], ["a"])
    assert found.items() <= files.items()


def test_long_names_are_read() -> None:
    files = {"a/" + "long/" * 30 + "name": b"1", "a/short": b"2"}
    assert regular_files(files_archive(files), ["a"]) == files


def test_links_devices_and_unwanted_names_are_passed_over() -> None:
    stream = stream_of(
        ("a/link", tarfile.SYMTYPE, b"/etc/shadow"),
        ("a/hard", tarfile.LNKTYPE, b"a/file"),
        ("a/fifo", tarfile.FIFOTYPE, b""),
        ("a/../b", tarfile.REGTYPE, b"up"),
        ("ab", tarfile.REGTYPE, b"other"),
        ("a/file", tarfile.REGTYPE, b"wanted"),
    )
    assert regular_files(stream, ["a/"]) == {"a/file": b"wanted"}


@pytest.mark.parametrize(
    "size", [b"-0000000001\0", b"\x80" + b"\xff" * 11, b"\xff" * 12, b"99999999999\0", b""]
)
def test_a_nonsense_size_ends_the_reading(size: bytes) -> None:
    stream = bytearray(files_archive({"a": b"x"}))
    stream[124:136] = size.ljust(12, b"\0")
    assert regular_files(bytes(stream), ["a"]) == {}


def test_a_tree_is_packed_without_history_and_covered_folders() -> None:
    words = tree_command("/host/tree", ["node_modules", "a[b]*"])
    assert words[:3] == ["tar", "--create", "--file=-"]
    assert [word for word in words if word.startswith("--exclude")] == [
        "--exclude=./node_modules",
        "--exclude=./a\\[b\\]\\*",
        "--exclude=.git",
    ]
    assert escaped("\\?") == "\\\\\\?"
