"""What is prepared on the host: staged folders, limits, cgroups, the choice of a backend."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import Limits, Mount, SandboxCommand
from agent.errors import SandboxFaultError, SandboxUnavailableError
from agent.sandbox import cgroups, resources, select, unsafe
from agent.sandbox.config import Backend, ContainerConfig, SandboxConfig
from agent.sandbox.pipes import Owner
from agent.sandbox.staging import Staging
from tests.fakes.sandbox import ScriptedSandbox, build_execution

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNER = Owner(uid=64017, gid=64017)


def readable_by_owner(path: Path) -> bool:
    """Whether the sandbox's user really can list or read ``path``."""
    drop = ["setpriv", f"--reuid={OWNER.uid}", f"--regid={OWNER.gid}", "--clear-groups", "--"]
    return subprocess.run([*drop, "find", path, "-readable"], capture_output=True, check=False).stdout != b""


class TestStaging:
    def test_a_normal_user_needs_none(self, tmp_path: Path) -> None:
        staging = Staging(tmp_path / "cache", None)
        folder = staging.prepare_directory(tmp_path / "cache" / "a")
        assert (staging.reachable(tmp_path), folder.stat().st_mode & 0o777) == (tmp_path.resolve(), 0o700)

    @pytest.mark.root
    @pytest.mark.skipif(os.geteuid() != 0, reason="needs to start as root")
    class TestAsRoot:
        @pytest.fixture
        def cache(self) -> Iterator[Path]:
            with tempfile.TemporaryDirectory(prefix="suture-staging-", dir="/var/tmp") as folder:
                Path(folder).chmod(0o755)
                yield Path(folder) / "cache"

        def test_a_private_folder_becomes_reachable_for_the_sandbox_alone(
            self, tmp_path: Path, cache: Path
        ) -> None:
            private = tmp_path / "private"
            (private / "bin").mkdir(parents=True)
            private.chmod(0o700)
            (private / "bin" / "run").write_text("public")
            (private / "bin" / "run").chmod(0o755)
            (private / "key").write_text("secret")
            (private / "key").chmod(0o600)
            (private / "link").symlink_to("bin/run")
            staged = Staging(cache, OWNER).reachable(private)
            assert {str(path.relative_to(staged)) for path in staged.rglob("*")} == {
                "bin",
                "bin/run",
                "key",
                "link",
            }
            assert all(readable_by_owner(staged / name) for name in ("", "bin/run", "key"))
            assert (staged.parent.stat().st_mode & 0o007, (staged / "key").stat().st_mode & 0o777) == (
                0,
                0o640,
            )
            assert ((private / "key").stat().st_mode & 0o777, (private / "key").stat().st_gid) == (0o600, 0)
            if private.stat().st_dev == cache.parent.stat().st_dev:  # a link cannot lead to another disk
                assert (private / "bin" / "run").samefile(staged / "bin" / "run")

        def test_a_change_is_staged_anew_by_the_next_process(self, tmp_path: Path, cache: Path) -> None:
            private = tmp_path / "private"
            private.mkdir(mode=0o700)
            (private / "a").write_text("1")
            first = Staging(cache, OWNER).reachable(private)
            again = Staging(cache, OWNER).reachable(private)
            (private / "b").write_text("2")
            changed = Staging(cache, OWNER).reachable(private)
            assert (first == again, first == changed, (changed / "b").read_text()) == (True, False, "2")

        def test_a_public_folder_is_taken_as_it_is(self, cache: Path) -> None:
            assert Staging(cache, OWNER).reachable(Path("/usr/share")) == Path("/usr/share")

        def test_a_prepared_folder_belongs_to_the_sandbox_and_its_parents_open_to_it(
            self, cache: Path
        ) -> None:
            cache.mkdir(mode=0o700)
            folder = Staging(cache, OWNER).prepare_directory(cache / "a" / "b")
            status = folder.stat()
            assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (OWNER.uid, OWNER.gid, 0o750)
            assert (readable_by_owner(folder), cache.stat().st_mode & 0o007) == (True, 0)

        def test_a_cache_nobody_can_get_to_is_refused_with_advice(self, tmp_path: Path) -> None:
            closed = tmp_path / "closed"
            closed.mkdir(mode=0o700)
            with pytest.raises(SandboxUnavailableError, match="/var/cache/suture"):
                Staging(closed / "cache", OWNER).prepare_directory(closed / "cache" / "a")


class TestResources:
    def test_a_process_starts_within_its_limits(self) -> None:
        limits = Limits(cpu_seconds=7, file_mb=3, memory_mb=900, open_files=99, processes=50)
        words = resources.limited(limits, os.getuid(), counted=False)
        text = subprocess.check_output([*words, "cat", "/proc/self/limits"], text=True)
        seen = {line[:26].strip(): line[26:].split()[:2] for line in text.splitlines()[1:]}
        assert seen["Max cpu time"] == ["7", "12"]
        assert seen["Max file size"] == [str(3 << 20)] * 2
        assert seen["Max data size"] == [str(900 << 20)] * 2
        assert (seen["Max open files"], seen["Max core file size"]) == (["99"] * 2, ["0"] * 2)
        assert int(seen["Max processes"][0]) >= 50

    def test_no_limit_is_above_our_own(self) -> None:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        words = resources.limited(Limits(open_files=most + 1), os.getuid(), counted=False)
        assert f"--nofile={most}:{most}" in words

    def test_our_own_threads_are_counted(self) -> None:
        assert resources.tasks(os.geteuid()) >= 1
        assert resources.tasks(4_000_000_000) == 0

    def test_cgroups_are_joined_before_rights_are_dropped(self, tmp_path: Path) -> None:
        procs = tmp_path / "it's procs"
        words = resources.entering([procs], None)
        pid = subprocess.check_output([*words, "sh", "-c", "echo $$"], text=True).strip()
        assert procs.read_text().strip() == pid
        assert resources.entering([], None) == []
        assert resources.entering([], OWNER)[0] == "setpriv"


class TestCgroups:
    def build_root(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(cgroups, "ROOT", tmp_path)
        (tmp_path / "cgroup.controllers").write_text("memory pids")
        parent = tmp_path / "delegated"
        parent.mkdir()
        (parent / "cgroup.subtree_control").write_text("memory pids")
        return parent

    def test_version_2_writes_its_limits(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        parent = self.build_root(tmp_path, monkeypatch)
        group = cgroups.create(Limits(memory_mb=3, processes=5), parent)
        [folder] = group.folders
        values = [(folder / name).read_text() for name in ("memory.max", "pids.max", "memory.swap.max")]
        assert (values, group.counts_processes) == ([str(3 << 20), "5", "0"], True)
        assert group.entrances == (folder / "cgroup.procs",)

    def test_an_end_by_the_kernel_is_read_from_its_events(self, tmp_path: Path) -> None:
        events = tmp_path / "memory.events"
        group = cgroups.Cgroup(memory=events)
        seen = [group.ran_out_of_memory, cgroups.Cgroup().ran_out_of_memory]
        for killed in (0, 2):
            events.write_text(f"oom 1\noom_kill {killed}\n")
            seen.append(group.ran_out_of_memory)
        assert seen == [False, False, False, True]

    def test_a_folder_we_may_not_write_gives_none(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cgroups, "ROOT", tmp_path / "nothing")
        group = cgroups.create(Limits(), tmp_path / "missing")
        assert (group.folders, group.memory, group.counts_processes) == ((), None, False)

    def test_what_dead_processes_left_is_swept(self, tmp_path: Path) -> None:
        for name in ("suture-999999999-a", f"suture-{os.getpid()}-b", "other"):
            (tmp_path / name).mkdir()
        cgroups.sweep(tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["other", f"suture-{os.getpid()}-b"]


class TestChoice:
    def test_missing_programs_are_refused_with_what_to_type(self, tmp_path: Path) -> None:
        config = SandboxConfig(
            cache=tmp_path, bwrap="no-bwrap-here", container=ContainerConfig(engine="no-engine-here")
        )
        with pytest.raises(SandboxUnavailableError) as refused:
            select.open_sandbox(config)
        assert refused.value.reason == "no-bwrap-here is not installed; no-engine-here is not installed"
        assert (
            "apt install bubblewrap" in refused.value.advice,
            "--unsafe-no-sandbox" in refused.value.advice,
        ) == (
            True,
            True,
        )

    def test_a_backend_that_does_not_start_is_refused_with_its_reason(self) -> None:
        fault = SandboxFaultError("could not be set up: bwrap: Operation not permitted")
        with pytest.raises(SandboxUnavailableError, match=r"scripted: .*Operation not permitted"):
            select._started(ScriptedSandbox().on("true", fault))

    def test_a_backend_of_which_commands_fail_is_refused(self) -> None:
        with pytest.raises(SandboxUnavailableError, match="exit code 9"):
            select._started(ScriptedSandbox().on("true", build_execution(exit_code=9)))

    def test_the_unsafe_backend_is_taken_only_when_named(self, tmp_path: Path) -> None:
        config = SandboxConfig(cache=tmp_path, backend=Backend.UNSAFE)
        assert select.open_sandbox(config).name == "unsafe"
        assert Backend.UNSAFE not in select._AUTOMATIC


def test_the_unsafe_backend_moves_whole_paths_only() -> None:
    command = SandboxCommand(
        argv=("/work/a", "--in=/work", "/workshop", "/host/work/x", "PATH=/tmp:/env/bin"),
        cwd="/work/sub",
        mounts=(Mount(host=Path("/tmp/env"), inside="/env"),),
    )
    places = {"/work": "/r/work", "/tmp": "/r/tmp", "/env": "/tmp/env", "/tmp/env": "/tmp/env"}
    moved = unsafe.rebased(command, places)
    assert moved.argv == (
        "/r/work/a",
        "--in=/r/work",
        "/workshop",
        "/host/work/x",
        "PATH=/r/tmp:/tmp/env/bin",
    )
    assert moved.cwd == "/r/work/sub"
