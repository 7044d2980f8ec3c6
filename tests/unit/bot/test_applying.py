"""An accepted patch is written whole, with its mode, and never through a link; progress is plain lines."""

from __future__ import annotations

import io
import stat
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from agent.domain.run import Stage, StageRecord
from bot.apply import ApplyError, apply_changes
from bot.progress import ConsoleProgress, SilentProgress

if TYPE_CHECKING:
    from pathlib import Path


def test_files_are_replaced_with_their_mode(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("old\n")
    (tmp_path / "run.sh").chmod(0o750)
    (tmp_path / "gone.py").write_text("x")
    before = {"run.sh": b"old\n", "gone.py": b"x", "new.py": None}
    apply_changes(tmp_path, {"run.sh": b"new\r\n", "gone.py": None, "new.py": b"n"}, before)
    assert (tmp_path / "run.sh").read_bytes() == b"new\r\n"
    assert stat.S_IMODE((tmp_path / "run.sh").stat().st_mode) == 0o750
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.py", "run.sh"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("s")
    (project / "link").symlink_to(outside / "secret")
    (project / "folder").symlink_to(outside)
    for path in ("link", "folder/secret"):
        with pytest.raises(ApplyError, match="behind a link"):
            apply_changes(project, {path: b"x"}, {path: b"s"})
    assert (outside / "secret").read_text() == "s"


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ApplyError, match=r"cannot write missing/x\.py"):
        apply_changes(tmp_path, {"missing/x.py": b"x"}, {})


def test_work_done_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """A run takes minutes; of two files, one of which was edited, neither is touched."""
    (tmp_path / "a.py").write_text("old")
    (tmp_path / "b.py").write_text("edited by somebody")
    with pytest.raises(ApplyError, match=r"b\.py was changed during the run"):
        apply_changes(tmp_path, {"a.py": b"new", "b.py": b"new"}, {"a.py": b"old", "b.py": b"old"})
    assert (tmp_path / "a.py").read_text() == "old"
    assert (tmp_path / "b.py").read_text() == "edited by somebody"


RECORD = StageRecord(stage=Stage.BASELINE, result="passed", summary="2 [bold]tests\x1b[0m", seconds=1.5)


@pytest.mark.parametrize("terminal", [True, False])
def test_stages_are_shown(terminal: bool) -> None:
    """Lines are plain: no markup of a project is rendered, no escape of it reaches the terminal."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=200, color_system=None)
    with ConsoleProgress(console) as progress:
        progress.started(Stage.BASELINE)
        progress.note("a note")
        progress.finished(RECORD)
        progress.started(Stage.REPRODUCE)
    shown = stream.getvalue()
    assert "a note" in shown
    assert "passed: 2 [bold]tests?[0m" in shown
    assert ("baseline: started" in shown) is not terminal


def test_silence() -> None:
    progress = SilentProgress()
    progress.started(Stage.BASELINE)
    progress.note("x")
    progress.finished(RECORD)
