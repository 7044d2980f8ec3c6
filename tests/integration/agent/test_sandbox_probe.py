"""The probe tells the truth: what a wall holds back, and what there is no wall for."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import KillReason, Limits, SandboxCommand
from agent.errors import SandboxFaultError
from agent.sandbox.bubblewrap import BubblewrapSandbox
from agent.sandbox.config import Backend, SandboxConfig
from agent.sandbox.probe import probe

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.sandbox


@pytest.fixture
def cache() -> Iterator[Path]:
    """Yield a cache folder that every user can get to."""
    with tempfile.TemporaryDirectory(prefix="suture-probe-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "cache"
        assert list(Path(folder).glob("cache/bait-*")) == []


async def test_bubblewrap_holds_everything_that_is_tried(cache: Path) -> None:
    findings = await probe(SandboxConfig(cache=cache, backend=Backend.BUBBLEWRAP))
    held = {finding.name: finding.held for finding in findings if finding.name != "limits"}
    assert held == {"start": True, "network": True, "files": True, "kernel": True}
    assert [finding.advice == "" for finding in findings] == [finding.held for finding in findings]


async def test_without_a_sandbox_the_probe_says_so(cache: Path) -> None:
    findings = await probe(SandboxConfig(cache=cache, backend=Backend.UNSAFE))
    held = {finding.name: finding.held for finding in findings}
    assert (held["start"], held["network"], held["files"]) == (True, False, False)
    assert all(finding.advice for finding in findings if not finding.held)


async def test_a_sandbox_that_cannot_start_is_one_finding_with_advice(cache: Path) -> None:
    [finding] = await probe(SandboxConfig(cache=cache, backend=Backend.BUBBLEWRAP, bwrap="no-bwrap"))
    assert (finding.name, finding.held, finding.detail) == ("start", False, "no-bwrap is not installed")
    assert "apt install bubblewrap" in finding.advice


async def test_processor_time_is_reported_as_time(cache: Path) -> None:
    sandbox = BubblewrapSandbox(SandboxConfig(cache=cache))
    limits = Limits(wall_seconds=60.0, cpu_seconds=1)
    seen = await sandbox.run(SandboxCommand(argv=("sh", "-c", "while :; do :; done"), limits=limits))
    assert (seen.killed_by, seen.exit_code) == (KillReason.TIME, None)


async def test_a_tree_larger_than_the_disk_is_a_fault_that_says_so(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (3 << 20))
    sandbox = BubblewrapSandbox(SandboxConfig(cache=cache))
    with pytest.raises(SandboxFaultError, match="does not fit in 1 MiB"):
        await sandbox.run(SandboxCommand(argv=("true",), tree=tmp_path, limits=Limits(disk_mb=1)))


async def test_a_set_up_that_hangs_is_ended(cache: Path, tmp_path: Path) -> None:
    sandbox = BubblewrapSandbox(SandboxConfig(cache=cache, setup_seconds=0.001))
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(SandboxFaultError, match="took too long"):
        await sandbox.run(SandboxCommand(argv=("true",), tree=tmp_path))
