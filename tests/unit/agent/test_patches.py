"""Diffs are git's own and apply; a patch keeps within its scope."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from agent.patches.git_diff import git_diff
from agent.patches.scope import ScopeLimits, diff_size, scope_violations
from tests.fakes.workflow import build_candidate

if TYPE_CHECKING:
    from pathlib import Path

CASES: dict[str, tuple[bytes | None, bytes | None]] = {
    "changed.py": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "crlf.txt": (b"a\r\nb\r\n", b"a\r\nB\r\n"),
    "no-newline": (b"a\nb", b"a\nB"),
    "latin.py": (b"# caf\xe9\na = 1\n", b"# caf\xe9\na = 2\n"),
    "new/deep/file.py": (None, b"new\n"),
    "gone.py": (b"old\n", None),
    "caf\u00e9 with space.txt": (b"1\n", b"2\n"),
    "line\nbreak.txt": (b"1\n", b"2\n"),
    "run.sh": (b"#!/bin/sh\n", b"#!/bin/sh\ntrue\n"),
}


def test_the_diff_applies_and_gives_the_same_bytes(tmp_path: Path) -> None:
    """For line endings, missing newlines, other encodings, odd names, new and deleted files."""
    before = {path: pair[0] for path, pair in CASES.items()}
    after = {path: pair[1] for path, pair in CASES.items()}
    diff = git_diff(before, after, frozenset({"run.sh"}))
    for path, content in before.items():
        if content is not None:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content)
    (tmp_path / "run.sh").chmod(0o755)
    subprocess.run(
        ["git", "apply", "-"], cwd=tmp_path, input=diff.encode("utf-8", "surrogateescape"), check=True
    )
    for path, content in after.items():
        if content is None:
            assert not (tmp_path / path).exists()
        else:
            assert (tmp_path / path).read_bytes() == content
    assert "new file mode 100644" in diff
    assert "deleted file mode" in diff


def test_equal_contents_have_no_diff() -> None:
    assert git_diff({"a": b"x\n"}, {"a": b"x\n"}) == ""


def test_sizes_are_counted() -> None:
    size = diff_size(git_diff({"a": b"1\n2\n"}, {"a": b"1\n3\n4\n"}))
    assert (size.files, size.added, size.removed) == (1, 2, 1)


@pytest.mark.parametrize(
    ("path", "before", "after", "message"),
    [
        (".github/workflows/ci.yml", None, b"x\n", "protected"),
        (".github/suture.yml", None, b"x\n", "protected"),
        ("package-lock.json", b"{}\n", b"{ }\n", "lock file"),
        ("sub/pyproject.toml", b"a\n", b"b\n", "declares dependencies"),
        ("../outside", None, b"x\n", "outside of the repository"),
        ("/etc/passwd", None, b"x\n", "outside of the repository"),
        ("unplanned.py", b"a\n", b"b\n", "not among the files"),
        ("app.py", b"a\n", None, "deleted"),
        ("app.py", b"a\n", b"a\x00\n", "binary"),
        ("app.py", b"a\r\nb\r\n", b"a\r\nb\n", "line endings"),
        ("app.py", b"a\n", b"b", "final newline"),
        ("app.py", b"a\n", b"\xff\n", "UTF-8"),
        ("app.py", b"a\n", b"<<<<<<< ours\na\n", "conflict markers"),
        ("secret/app.py", b"a\n", b"b\n", "protected"),
        ("app.py", b"", b"x\n" * 300, "300 lines"),
    ],
)
def test_patches_that_go_too_far(path: str, before: bytes | None, after: bytes | None, message: str) -> None:
    candidate = build_candidate(changes={path: after})
    inside = path.lstrip("/").replace("../", "")
    diff = git_diff({inside: before}, {inside: after})
    found = scope_violations(
        candidate,
        {path: before},
        diff,
        planned=frozenset({"app.py", "secret/app.py"}),
        limits=ScopeLimits(protected=("secret/*",)),
    )
    assert any(message in line for line in found), found


def test_a_small_patch_of_a_planned_file_is_within_scope() -> None:
    candidate, before = build_candidate(), {"app.py": b"unsafe()\n"}
    diff = git_diff(before, candidate.changes)
    assert (
        scope_violations(candidate, before, diff, planned=frozenset({"app.py"}), limits=ScopeLimits()) == ()
    )


def test_too_many_files_and_none_at_all() -> None:
    changes = {f"f{n}.py": b"x\n" for n in range(7)}
    many = scope_violations(
        build_candidate(changes=changes),
        {},
        git_diff(dict.fromkeys(changes), changes),
        planned=frozenset(changes),
        limits=ScopeLimits(),
    )
    assert many == ("7 files are changed, at most 6 may be",)
    nothing = build_candidate(changes={})
    assert scope_violations(nothing, {}, "", planned=frozenset(), limits=ScopeLimits()) == (
        "the patch changes nothing",
    )


def test_an_unreadable_diff_is_a_violation() -> None:
    broken = "--- a/app.py\n+++ b/app.py\n@@ -1,9 +1 @@\n-a\n"
    found = scope_violations(
        build_candidate(), {"app.py": b"a\n"}, broken, planned=frozenset({"app.py"}), limits=ScopeLimits()
    )
    assert found == ("the patch cannot be read as a diff",)
