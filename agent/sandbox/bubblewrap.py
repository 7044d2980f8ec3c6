"""The bubblewrap backend: a fresh set of namespaces for each command, private tmpfs for all it writes."""

from __future__ import annotations

import asyncio
import os
import platform
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from agent.domain.execution import Phase
from agent.errors import SandboxUnavailableError
from agent.sandbox import cgroups, command_line, memory, resources, script, seccomp
from agent.sandbox.jobs import execution_of, feed_of
from agent.sandbox.pipes import Owner, channel
from agent.sandbox.staging import Staging
from agent.sandbox.supervision import Feed, Job, supervise
from agent.sandbox.variables import CLEAN, certificate_paths, inside_variables

if TYPE_CHECKING:
    from agent.domain.execution import Execution, SandboxCommand
    from agent.sandbox.config import SandboxConfig

_LAUNCHING = {"PATH": CLEAN["PATH"]}  # what the launching programs see; the command sees its own
_SYSTEM_FOLDERS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")


class BubblewrapSandbox:
    """Runs commands under bubblewrap; as root, as a dedicated user of the host who owns nothing.

    Raises ``SandboxUnavailableError`` when bubblewrap is missing or the machine's calls are not known.
    """

    name = "bubblewrap"

    def __init__(self, config: SandboxConfig) -> None:
        program = shutil.which(config.bwrap)
        if program is None:
            raise SandboxUnavailableError(
                f"{config.bwrap} is not installed",
                "Install it: apt install bubblewrap (or dnf, apk, pacman).",
            )
        self._program = program
        self._config = config
        self._owner = Owner(uid=config.host_uid, gid=config.host_gid) if os.geteuid() == 0 else None
        self._filter = seccomp.program(platform.machine())
        self._system = host_system()
        self._staging = Staging(config.cache, self._owner)
        cgroups.sweep(config.cgroup_parent)

    def prepare_directory(self, path: Path) -> Path:
        """Create a folder that commands may be given as a writable mount; return it."""
        return self._staging.prepare_directory(path)

    async def run(self, command: SandboxCommand) -> Execution:
        """Run ``command`` in a sandbox of its own."""
        bindings = await asyncio.to_thread(self._bindings, command)
        group = cgroups.create(command.limits, self._config.cgroup_parent)
        try:
            outcome = await supervise(self._job(command, bindings, group))
            return execution_of(command, outcome, ran_out_of_memory=group.ran_out_of_memory)
        finally:
            await asyncio.shield(asyncio.to_thread(group.close))

    def _job(
        self, command: SandboxCommand, bindings: list[command_line.Binding], group: cgroups.Cgroup
    ) -> Job:
        ready = f"ready {secrets.token_hex(16)}"
        feed = feed_of(command)
        returning = channel(self._owner) if command.collect else None
        program = script.inside(
            cwd=command.cwd,
            ready=ready,
            unpack=script.unpacking() if feed != Feed() else "",
            collect=script.collecting(command.collect, to=f"/proc/self/fd/{returning[1]}")
            if returning
            else "",
        )
        etc = {path: _memory(content) for path, content in command_line.ETC_FILES.items()}
        rules = _memory(self._filter)
        argv = command_line.bubblewrap(
            self._program,
            program,
            command.argv,
            system=self._system,
            phase=command.phase,
            limits=command.limits,
            environment=inside_variables(command, self._config),
            bindings=bindings,
            etc=etc,
            seccomp=rules,
        )
        uid = self._owner.uid if self._owner else os.getuid()
        limited = resources.limited(command.limits, uid, counted=group.counts_processes)
        return Job(
            argv=[*resources.entering(group.entrances, self._owner), *limited, *argv],
            environment=_LAUNCHING,
            ready=ready,
            limits=command.limits,
            setup_seconds=self._config.setup_seconds,
            owner=self._owner,
            feed=feed,
            inherited=(*etc.values(), rules, *([returning[1]] if returning else [])),
            collect=returning[0] if returning else None,
            memory=group.held if group.memory else memory.held,
        )

    def _bindings(self, command: SandboxCommand) -> list[command_line.Binding]:
        mounts = [
            command_line.Binding(
                host=str(self._staging.reachable(mount.host)),
                inside=mount.inside,
                writable=mount.writable,
                cache=not mount.writable and _has_tool_cache(mount.host),
            )
            for mount in command.mounts
        ]
        if command.phase is not Phase.INSTALL:
            return mounts
        return [*self._network_bindings(command), *mounts]

    def _network_bindings(self, command: SandboxCommand) -> list[command_line.Binding]:
        """Return what an install sees of the host: name servers, certificates, the operator's indexes."""
        variables = inside_variables(command, self._config)
        shown = dict.fromkeys(("/etc/resolv.conf", *certificate_paths(variables)))
        shown.update(dict.fromkeys(str(path) for path in self._config.install_paths))
        return [
            command_line.Binding(host=str(self._staging.reachable(Path(path))), inside=path)
            for path in shown
            if Path(path).exists() and not _is_shown(path)
        ]


def host_system() -> command_line.HostSystem:
    """Return how this host lays out its system folders."""
    present = [Path(path) for path in _SYSTEM_FOLDERS if os.path.lexists(path)]
    return command_line.HostSystem(
        links={str(path): str(path.readlink()) for path in present if path.is_symlink()},
        folders=tuple(str(path) for path in present if not path.is_symlink()),
    )


def _has_tool_cache(host: Path) -> bool:
    return host.name == "node_modules" and (host / ".cache").is_dir()


def _is_shown(path: str) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in ("/usr", *command_line.NETWORK_FILES))


def _memory(content: bytes) -> int:
    """Return a descriptor of a file in memory that holds ``content``."""
    descriptor = os.memfd_create("suture")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
