"""A tree is read once, without following links, and only what says how it is built."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from agent.toolchains import snapshot as module
from agent.toolchains.snapshot import Snapshot, take, wanted


def test_files_texts_and_age(tmp_path: Path) -> None:
    outside = tmp_path / "secret.toml"
    outside.write_text("secret")
    tree = tmp_path / "tree"
    (tree / "node_modules/x").mkdir(parents=True)
    (tree / "node_modules/x/package.json").write_text("{}")
    (tree / "src").mkdir()
    (tree / "src/a.py").write_text("x")
    (tree / "pyproject.toml").write_bytes(b"name = '\xff'")
    (tree / "link.toml").symlink_to(outside)
    (tree / "loop").symlink_to(tree)
    (tree / "uv.lock").write_text("lock")
    for path in (tree / "src/a.py", tree / "pyproject.toml", tree / "uv.lock"):
        os.utime(path, (0, 1_600_000_000))

    found = take(tree)

    assert found.paths == {"src/a.py", "pyproject.toml", "uv.lock"}
    assert dict(found.texts) == {"pyproject.toml": "name = '\ufffd'", "uv.lock": "lock"}
    assert found.newest == date(2020, 9, 13)
    assert (found.text("pyproject.toml")[:4], found.text("gone")) == ("name", "")


def test_an_empty_tree(tmp_path: Path) -> None:
    assert take(tmp_path) == Snapshot(paths=frozenset())


def test_a_text_that_is_too_long_or_unreadable_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "long.txt").write_text("x" * (module.MAX_TEXT + 1))
    (tmp_path / "gone.txt").write_text("x")
    real = Path.open

    def refuse(self: Path, *args: object, **words: object) -> object:
        if self.name == "gone.txt":
            raise PermissionError
        return real(self, *args, **words)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)

    assert dict(take(tmp_path).texts) == {}


def test_a_file_that_goes_while_we_look_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("x")

    def gone(self: Path) -> os.stat_result:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "lstat", gone)

    assert take(tmp_path).paths == frozenset()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("setup.py", True),
        ("requirements/test.txt", True),
        (".github/workflows/ci.yml", True),
        (".github/actions/a/action.yml", True),
        ("packages/a/package.json", True),
        ("scripts/test", True),
        ("tests/test_a.py", True),
        ("conftest.py", True),
        ("a/b/c/d/e/package.json", False),
        ("src/a.py", False),
        ("docs/a/b.txt", False),
        ("lib/data.json", False),
    ],
)
def test_which_texts_are_read(path: str, expected: bool) -> None:
    assert wanted(path) is expected


def test_folders_exist_by_their_files() -> None:
    found = Snapshot(paths=frozenset({"a/b.py"}))

    assert [found.exists(path) for path in ("a/b.py", "./a/", "a", "b")] == [True, True, True, False]
