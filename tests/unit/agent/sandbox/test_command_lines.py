"""The command lines of bubblewrap and of container engines, word by word where it matters."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.domain.execution import Limits, Mount, Phase
from agent.sandbox import container_command
from agent.sandbox.command_line import Binding, HostSystem, bubblewrap
from agent.sandbox.config import ContainerConfig

LIMITS = Limits(memory_mb=512, processes=64, file_mb=16, disk_mb=128, open_files=256, cpu_seconds=9)


def build_bubblewrap(phase: Phase = Phase.RUN, *bindings: Binding) -> list[str]:
    """Return a command line with one of everything."""
    return bubblewrap(
        "/usr/bin/bwrap",
        "SCRIPT",
        ["python", "-c", "--bind"],
        system=HostSystem(links={"/bin": "usr/bin"}, folders=("/lib64",)),
        phase=phase,
        limits=LIMITS,
        environment={"A": "b c"},
        bindings=bindings,
        etc={"/etc/passwd": 7},
        seccomp=8,
    )


def after(words: list[str], *group: str) -> int:
    """Return where ``group`` stands in ``words``; fail when it does not."""
    for at in range(len(words)):
        if words[at : at + len(group)] == list(group):
            return at
    raise AssertionError(f"{group} is not in {words}")


class TestBubblewrap:
    def test_the_command_is_the_last_and_only_argument_of_the_script(self) -> None:
        words = build_bubblewrap()
        assert words[words.index("--") :] == ["--", "/bin/sh", "-c", "SCRIPT", "sh", "python", "-c", "--bind"]

    def test_a_run_has_no_network_and_an_install_has(self) -> None:
        assert (
            "--unshare-net" in build_bubblewrap(),
            "--unshare-net" in build_bubblewrap(Phase.INSTALL),
        ) == (
            True,
            False,
        )

    @pytest.mark.parametrize(
        "word", ["user", "pid", "ipc", "uts", "cgroup-try"], ids=lambda word: f"unshare-{word}"
    )
    def test_every_namespace_is_new_in_both_phases(self, word: str) -> None:
        for phase in Phase:
            assert f"--unshare-{word}" in build_bubblewrap(phase)

    def test_rights_are_given_up_and_the_parent_is_followed(self) -> None:
        words = build_bubblewrap()
        after(words, "--cap-drop", "ALL")
        after(words, "--seccomp", "8")
        assert {"--die-with-parent", "--new-session", "--disable-userns", "--clearenv"} <= set(words)

    def test_every_private_folder_is_sized(self) -> None:
        words = build_bubblewrap()
        sizes = {
            words[at + 1]: int(words[at - 1]) >> 20 for at, word in enumerate(words) if word == "--tmpfs"
        }
        assert sizes == {"/dev/shm": 16, "/tmp": 64, "/home/suture": 32, "/work": 128}

    def test_mounts_come_after_the_private_folders_and_before_the_root_closes(self) -> None:
        words = build_bubblewrap(
            Phase.RUN,
            Binding(host="/h/node_modules", inside="/work/node_modules", cache=True),
            Binding(host="/h/env", inside="/env", writable=True),
        )
        work = after(words, "--tmpfs", "/work")
        modules = after(words, "--ro-bind", "/h/node_modules", "/work/node_modules")
        cache = after(words, "--tmpfs", "/work/node_modules/.cache")
        writable = after(words, "--bind", "/h/env", "/env")
        assert work < modules < cache < writable < after(words, "--remount-ro", "/")

    def test_the_system_is_read_only_and_etc_is_our_own(self) -> None:
        words = build_bubblewrap()
        after(words, "--ro-bind", "/usr", "/usr")
        after(words, "--symlink", "usr/bin", "/bin")
        after(words, "--ro-bind", "/lib64", "/lib64")
        after(words, "--perms", "0444", "--file", "7", "/etc/passwd")
        after(words, "--setenv", "A", "b c")
        assert ("--bind" in words[: words.index("--")], "/etc/passwd" in words[words.index("7") + 2 :]) == (
            False,
            False,
        )


class TestContainer:
    CONFIG = ContainerConfig(engine="/usr/bin/podman", image="image:1", runtime="runsc")

    def start(self, phase: Phase = Phase.RUN, uid: int = 1001, *mounts: Mount) -> list[str]:
        identity = container_command.Identity(uid=uid, gid=1002)
        return container_command.start(
            "n", self.CONFIG, identity=identity, phase=phase, limits=LIMITS, mounts=mounts
        )

    def test_it_starts_closed(self) -> None:
        words = self.start()
        closed = {"--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"}
        assert closed | {"--user=1001:1002", "--runtime=runsc", "--userns=keep-id", "--ipc=private"} <= set(
            words
        )
        assert words[-3:] == ["--entrypoint=sleep", "image:1", "infinity"]

    def test_every_limit_is_a_word(self) -> None:
        bounds = {
            "--memory=512m",
            "--memory-swap=512m",
            "--pids-limit=64",
            "--ulimit=nofile=256",
            "--ulimit=cpu=9",
        }
        assert bounds | {f"--ulimit=fsize={16 << 20}", "--ulimit=core=0"} <= set(self.start())
        sized = [word for word in self.start() if word.startswith("--tmpfs")]
        assert [word.split("size=")[1].split(",")[0] for word in sized] == ["128m", "64m", "32m"]

    def test_an_install_has_the_engines_network_and_root_keeps_no_id(self) -> None:
        words = self.start(Phase.INSTALL, 0)
        assert ("--network=bridge" in words, "--userns=keep-id" in words) == (True, False)

    def test_mounts_are_quoted_as_csv(self) -> None:
        words = self.start(
            Phase.RUN,
            5,
            Mount(host=Path('/a,"b'), inside="/in"),
            Mount(host=Path("/w"), inside="/w", writable=True),
        )
        mounts = [words[at + 1] for at, word in enumerate(words) if word == "--mount"]
        assert mounts == ['type=bind,"source=/a,""b",target=/in,readonly', "type=bind,source=/w,target=/w"]

    def test_a_command_runs_in_the_container_and_the_container_goes(self) -> None:
        words = container_command.execute("n", self.CONFIG, "SCRIPT", ["a b"], {"K": "v w"})
        engine = "/usr/bin/podman"
        assert words == [
            engine,
            "exec",
            "--interactive",
            "--env=K=v w",
            "n",
            "/bin/sh",
            "-c",
            "SCRIPT",
            "sh",
            "a b",
        ]
        assert container_command.remove("n", self.CONFIG) == [engine, "rm", "--force", "--volumes", "n"]
        assert container_command.out_of_memory("n", self.CONFIG)[-2:] == [
            "--format={{.State.OOMKilled}}",
            "n",
        ]
