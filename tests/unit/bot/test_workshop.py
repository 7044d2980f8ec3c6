"""What one project installs is never what another one runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.compose import Workshop
from bot.repair import Repair
from bot.settings import Settings
from tests.fakes.sandbox import ScriptedSandbox
from tests.fakes.workflow import build_report

if TYPE_CHECKING:
    from pathlib import Path


def build_job(project: Path, history: Path | None = None) -> Repair:
    return Repair(project=project, report=build_report(), out=project / "out", history=history)


def folders(workshop: Workshop, job: Repair) -> set[Path]:
    """Return every folder that an install of the job's project may write into, or is taken from."""
    return {
        folder
        for toolchain in workshop.toolchains(job)
        for folder in (toolchain.packages, toolchain.cache._root)  # type: ignore[attr-defined]
    }


def test_projects_share_no_cache(tmp_path: Path) -> None:
    """Two projects may have the same manifests, and so the same digest, and yet install other things."""
    workshop = Workshop(
        settings=Settings(data_dir=tmp_path, cache_dir=tmp_path / "cache"), sandbox=ScriptedSandbox()
    )
    one, other = folders(workshop, build_job(tmp_path / "a")), folders(workshop, build_job(tmp_path / "b"))
    assert one.isdisjoint(other)
    assert all(folder.is_relative_to(workshop.settings.cache_dir) for folder in one | other)


def test_a_project_keeps_its_cache(tmp_path: Path) -> None:
    """By its own folder, however that is written, and by its mirror, wherever it is checked out."""
    workshop = Workshop(
        settings=Settings(data_dir=tmp_path, cache_dir=tmp_path / "cache"), sandbox=ScriptedSandbox()
    )
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    assert folders(workshop, build_job(tmp_path / "a")) == folders(workshop, build_job(tmp_path / "link"))
    mirror = tmp_path / "mirror"
    first, second = build_job(tmp_path / "run-1", mirror), build_job(tmp_path / "run-2", mirror)
    assert folders(workshop, first) == folders(workshop, second)
