"""The command lines for a container engine (docker, podman; optionally another runtime). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.execution import Phase
from agent.sandbox.variables import HOME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.domain.execution import Limits, Mount
    from agent.sandbox.config import ContainerConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who runs inside: the host's ids, so that writable mounts stay ours."""

    uid: int
    gid: int


def start(
    name: str,
    config: ContainerConfig,
    *,
    identity: Identity,
    phase: Phase,
    limits: Limits,
    mounts: Sequence[Mount],
) -> list[str]:
    """Return the command that starts container ``name``, which waits for commands until it is removed."""
    return [
        *(config.engine, "run", "--detach", "--rm", "--init", "--name", name, "--hostname", "sandbox"),
        *([f"--runtime={config.runtime}"] if config.runtime else []),
        *(["--userns=keep-id"] if config.engine.endswith("podman") and identity.uid else []),
        f"--network={'none' if phase is Phase.RUN else 'bridge'}",
        f"--user={identity.uid}:{identity.gid}",
        *("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--ipc=private"),
        *_bounds(limits),
        *_private(identity, limits),
        *(word for mount in mounts for word in ("--mount", _mount(mount))),
        *("--entrypoint=sleep", config.image, "infinity"),
    ]


def execute(
    name: str, config: ContainerConfig, script: str, argv: Sequence[str], environment: Mapping[str, str]
) -> list[str]:
    """Return the command that runs ``script`` in the started container with ``argv`` as its arguments."""
    variables = [f"--env={key}={value}" for key, value in environment.items()]
    return [config.engine, "exec", "--interactive", *variables, name, "/bin/sh", "-c", script, "sh", *argv]


def remove(name: str, config: ContainerConfig) -> list[str]:
    """Return the command that ends the container and everything in it."""
    return [config.engine, "rm", "--force", "--volumes", name]


def out_of_memory(name: str, config: ContainerConfig) -> list[str]:
    """Return the command that prints ``true`` when the kernel ended a process for the memory limit."""
    return [config.engine, "inspect", "--format={{.State.OOMKilled}}", name]


def _bounds(limits: Limits) -> list[str]:
    return [
        f"--memory={limits.memory_mb}m",
        f"--memory-swap={limits.memory_mb}m",
        f"--pids-limit={limits.processes}",
        f"--ulimit=cpu={limits.cpu_seconds}",
        f"--ulimit=fsize={limits.file_mb << 20}",
        f"--ulimit=nofile={limits.open_files}",
        "--ulimit=core=0",
    ]


def _private(identity: Identity, limits: Limits) -> list[str]:
    owner = f"uid={identity.uid},gid={identity.gid}"
    folders = {
        "/work": (limits.disk_mb, f"mode=0755,{owner}"),
        "/tmp": (limits.disk_mb // 2, "mode=1777"),  # noqa: S108 - private
        HOME: (limits.disk_mb // 4, f"mode=0755,{owner}"),
    }
    return [
        f"--tmpfs={path}:rw,exec,nosuid,nodev,size={size}m,{options}"
        for path, (size, options) in folders.items()
    ]


def _mount(mount: Mount) -> str:
    """Return the engine's mount words; each is quoted as CSV, as paths may hold commas and quotes."""
    fields = ["type=bind", f"source={mount.host}", f"target={mount.inside}"]
    fields += [] if mount.writable else ["readonly"]
    return ",".join(_quoted(field) for field in fields)


def _quoted(field: str) -> str:
    if not any(character in field for character in ',"\n'):
        return field
    return '"' + field.replace('"', '""') + '"'
