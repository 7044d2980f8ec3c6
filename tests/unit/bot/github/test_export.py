"""Unpacking what a hostile repository could put into a tree."""

from __future__ import annotations

import io
import os
import tarfile
from typing import TYPE_CHECKING

import pytest

from bot.errors import GitHubError
from bot.github.export import TreeLimits, unpack

if TYPE_CHECKING:
    from pathlib import Path


def build_tar(*members: tuple[str, bytes | str, int]) -> io.BytesIO:
    """Return a tar of files (bytes) and links (text) with their modes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content, mode in members:
            member = tarfile.TarInfo(name)
            member.mode = mode
            if isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
                archive.addfile(member)
            else:
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    stream.seek(0)
    return stream


def test_files_and_modes_are_written(tmp_path: Path) -> None:
    stream = build_tar(("a/b.txt", b"1\r\n", 0o644), ("run", b"#!", 0o755), ("a/link", "b.txt", 0o777))

    done = unpack(stream, tmp_path / "t", TreeLimits())

    assert (done.files, done.total_bytes, done.left_out) == (3, 5, ())
    assert (tmp_path / "t/a/link").read_bytes() == b"1\r\n"
    assert os.access(tmp_path / "t/run", os.X_OK)


@pytest.mark.parametrize(
    ("told", "kept"), [(1_500_000_000, 1_500_000_000), (-5, 0), (1e300, 2**32), (float("nan"), 0)]
)
def test_a_file_keeps_its_time(tmp_path: Path, told: float, kept: int) -> None:
    """A tree's age decides which releases of its dependencies it is installed with; an archive may lie about it."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("a")
        member.pax_headers = {"mtime": str(told)}
        archive.addfile(member, io.BytesIO())
    stream.seek(0)

    unpack(stream, tmp_path / "t", TreeLimits())

    assert (tmp_path / "t/a").stat().st_mtime == kept


@pytest.mark.parametrize(
    "name", [".git/config", "a/.GIT/hooks/post-checkout", "../out", "/abs", "a/../../out"]
)
def test_names_no_tree_may_hold_are_left_out(tmp_path: Path, name: str) -> None:
    """Later tools would obey a ``.git`` folder; nothing is written outside."""
    done = unpack(build_tar((name, b"x", 0o644), ("ok", b"1", 0o644)), tmp_path / "t", TreeLimits())

    assert done.left_out == (name,)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["ok", "t"]


@pytest.mark.parametrize("target", ["/etc/passwd", "../../secret", "q/deep/../secret"])
def test_links_that_lead_outside_are_left_out(tmp_path: Path, target: str) -> None:
    stream = build_tar(("p/q/deep", "../..", 0o777), ("p/link", target, 0o777))

    done = unpack(stream, tmp_path / "tree", TreeLimits())

    assert done.left_out == ("p/link",)
    assert not (tmp_path / "tree/p/link").is_symlink()


def test_a_link_through_links_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    """By its letters ``p/q/d/../..`` is ``p``; followed, it leaves the tree."""
    stream = build_tar(("p/q/d", "../..", 0o777), ("e", "p/q/d/../..", 0o777))

    done = unpack(stream, tmp_path / "tree", TreeLimits())

    assert done.left_out == ("e",)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """A name that is a link and a folder at once cannot redirect a file."""
    (tmp_path / "outside").mkdir()
    stream = build_tar(("a", str(tmp_path / "outside"), 0o777), ("a/x", b"1", 0o644))

    with pytest.raises(GitHubError):
        unpack(stream, tmp_path / "tree", TreeLimits())

    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize(
    "limits",
    [TreeLimits(files=1), TreeLimits(total_bytes=5), TreeLimits(file_bytes=3)],
    ids=["files", "bytes", "one file"],
)
def test_limits_end_it(tmp_path: Path, limits: TreeLimits) -> None:
    with pytest.raises(GitHubError, match="larger than"):
        unpack(build_tar(("a", b"1234", 0o644), ("b", b"1234", 0o644)), tmp_path / "t", limits)


@pytest.mark.parametrize(
    "stream", [b"", b"no tar at all" * 100, build_tar(("a", b"1" * 9000, 0o644)).read()[:600]]
)
def test_a_broken_stream_is_an_error_of_ours(tmp_path: Path, stream: bytes) -> None:
    with pytest.raises(GitHubError, match="cannot be written"):
        unpack(io.BytesIO(stream), tmp_path / "t", TreeLimits())


def test_the_same_name_twice_is_refused(tmp_path: Path) -> None:
    """Git holds a name once; a second one would overwrite what was checked."""
    with pytest.raises(GitHubError, match="cannot be written"):
        unpack(build_tar(("a", b"1", 0o644), ("a", b"2", 0o644)), tmp_path / "t", TreeLimits())
