"""The bubblewrap command line for one command. Pure; what the host looks like comes as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from agent.domain.execution import Phase
from agent.sandbox.variables import HOME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agent.domain.execution import Limits

UID: Final = 1000
_MEBIBYTE: Final = 1 << 20

SYSTEM_FILES: Final = (
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/services",
    "/etc/protocols",
)
"""Host files every program may read; no host names, accounts or keys among them."""

NETWORK_FILES: Final = ("/etc/pki", "/etc/ca-certificates", "/etc/ssl")

ETC_FILES: Final[Mapping[str, bytes]] = {
    "/etc/passwd": f"root:x:0:0::/nonexistent:/bin/false\nsuture:x:{UID}:{UID}::{HOME}:/bin/sh\n".encode(),
    "/etc/group": f"root:x:0:\nsuture:x:{UID}:\n".encode(),
    "/etc/hosts": b"127.0.0.1 localhost sandbox\n::1 localhost\n",
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files dns\n",
}
"""Written into each sandbox in place of the host's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A host path, already reachable for the sandbox's user, and where it is shown."""

    host: str
    inside: str
    writable: bool = False
    cache: bool = False  # show a private, writable ``.cache`` in it, as JavaScript tools expect


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSystem:
    """How this host lays out ``/bin``, ``/lib`` and so on: links into ``/usr``, or folders of their own."""

    links: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


def bubblewrap(
    program: str,
    script: str,
    argv: Sequence[str],
    *,
    system: HostSystem,
    phase: Phase,
    limits: Limits,
    environment: Mapping[str, str],
    bindings: Iterable[Binding],
    etc: Mapping[str, int],
    seccomp: int,
) -> list[str]:
    """Return the argument list; ``etc`` and ``seccomp`` are descriptors that hold the contents."""
    return [
        program,
        *_namespaces(phase),
        *_system(system, phase),
        *_private(limits),
        *_flat(("--perms", "0444", "--file", str(fd), path) for path, fd in etc.items()),
        *_flat(_bind(binding) for binding in bindings),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        "--clearenv",
        *_flat(("--setenv", name, value) for name, value in environment.items()),
        *("--seccomp", str(seccomp), "--chdir", "/", "--", "/bin/sh", "-c", script, "sh", *argv),
    ]


def _namespaces(phase: Phase) -> list[str]:
    network = [] if phase is Phase.INSTALL else ["--unshare-net"]
    return [
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *network,
        *("--uid", str(UID), "--gid", str(UID), "--hostname", "sandbox"),
        *("--die-with-parent", "--new-session", "--disable-userns", "--cap-drop", "ALL"),
    ]


def _system(system: HostSystem, phase: Phase) -> list[str]:
    files = SYSTEM_FILES + (NETWORK_FILES if phase is Phase.INSTALL else ())
    return [
        *("--ro-bind", "/usr", "/usr"),
        *_flat(("--symlink", target, path) for path, target in system.links.items()),
        *_flat(("--ro-bind", path, path) for path in system.folders),
        *("--proc", "/proc", "--dev", "/dev", "--perms", "0755", "--dir", "/etc"),
        *_flat(("--ro-bind-try", path, path) for path in files),
    ]


def _private(limits: Limits) -> list[str]:
    """Return the private folders: together they hold at most 1.875 times ``disk_mb``."""
    size = limits.disk_mb * _MEBIBYTE
    return [
        *_tmpfs("/dev/shm", size // 8, "1777"),  # noqa: S108 - private
        *_tmpfs("/tmp", size // 2, "1777"),  # noqa: S108 - private
        *_tmpfs(HOME, size // 4, "0755"),
        *_tmpfs("/work", size, "0755"),
    ]


def _tmpfs(path: str, size: int, mode: str) -> list[str]:
    return ["--perms", mode, "--size", str(size), "--tmpfs", path]


def _bind(binding: Binding) -> list[str]:
    bind = "--bind" if binding.writable else "--ro-bind"
    cache = _tmpfs(f"{binding.inside}/.cache", 64 * _MEBIBYTE, "0755") if binding.cache else []
    return [bind, binding.host, binding.inside, *cache]


def _flat(groups: Iterable[Sequence[str]]) -> list[str]:
    return [word for group in groups for word in group]
