"""The ranking of a run: what the repository's configuration lets be searched, and an index that may break."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from agent.config import RankingConfig
from bot.ranking import RankingError, ReportRanker, is_searched
from retrieval.files.store import FILE, IndexStore
from tests.fakes.workflow import build_report

if TYPE_CHECKING:
    from pathlib import Path

REPORT = build_report(title="Escape in render_page", body="render_page does not escape.")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in ("pages/render.py", "legacy/render.py", "app.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"def render_page():\n    return {name!r}\n")
    return root


def ranked(tree: Path, index: Path | None = None, **config: object) -> list[str]:
    ranker = ReportRanker(source=tree, index=index, config=RankingConfig(**config))  # type: ignore[arg-type]
    return [file.path for file in ranker.rank(REPORT, tree, k=2)]


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        ((), (), True),
        (("pages/*",), (), True),
        (("legacy/*",), (), False),
        ((), ("pages/*",), False),
        (("*.py",), ("pages/render.py",), False),
        (("pages/*",), ("legacy/*",), True),
    ],
)
def test_globs_say_what_is_searched(
    include: tuple[str, ...], exclude: tuple[str, ...], *, expected: bool
) -> None:
    """``exclude`` wins; without ``include`` everything is searched; ``*`` spans folders."""
    config = RankingConfig(include=include, exclude=exclude)
    assert is_searched("pages/render.py", config) == expected


def test_what_may_not_be_searched_makes_room_for_what_may(tree: Path) -> None:
    assert len(ranked(tree)) == 2
    assert ranked(tree, exclude=("legacy/*",)) == ["pages/render.py", "app.py"]
    assert ranked(tree, include=("legacy/*",)) == ["legacy/render.py"]


def test_alpha_reaches_the_ranking(tree: Path) -> None:
    """All weight on a history that a plain folder does not have: nothing tells the files apart."""
    ranker = ReportRanker(source=tree, config=RankingConfig(alpha=1.0))
    assert {file.score for file in ranker.rank(REPORT, tree, k=3)} == {0.0}


def test_a_damaged_index_is_built_again(tree: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    expected = ranked(tree, folder)
    (folder / FILE).write_bytes(b"no database" * 100)
    assert ranked(tree, folder) == expected
    store = IndexStore(folder)
    assert store.blob_ids()
    store.close()


def test_an_index_that_others_hold_is_done_without(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.files.store._WAIT", 0.01)
    folder = tmp_path / "index"
    expected = ranked(tree, folder)
    other = sqlite3.connect(folder / FILE)
    other.execute("BEGIN EXCLUSIVE")
    assert ranked(tree, folder) == expected
    other.close()


def test_a_tree_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RankingError, match="is not a folder"):
        ranked(tmp_path / "nowhere")
