"""The environment inside: clean, then what an install may know of registries, then the caller's own. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.domain.execution import Phase
from agent.sandbox.config import CERTIFICATE_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent.domain.execution import SandboxCommand
    from agent.sandbox.config import SandboxConfig

HOME: Final = "/home/suture"
CLEAN: Final = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",  # noqa: S108 - the sandbox's own, private /tmp
    "TERM": "dumb",
}
_USER_PART: Final = re.compile(r"(?<=://)[^/\s]*@")


def inside_variables(command: SandboxCommand, config: SandboxConfig) -> dict[str, str]:
    """Return the whole environment of ``command``."""
    registries = registry_variables(config) if command.phase is Phase.INSTALL else {}
    return {**CLEAN, **registries, **command.env}


def registry_variables(config: SandboxConfig) -> dict[str, str]:
    """Return what the operator's environment says of registries, without credentials unless allowed."""
    known = {
        name: value
        for name in config.registry_variables
        if (value := config.environment.get(name)) is not None
    }
    if config.registry_credentials:
        return known
    return {name: without_credentials(value) for name, value in known.items()}


def without_credentials(value: str) -> str:
    """Return ``value`` with the user part of every address in it left out."""
    return _USER_PART.sub("", value)


def certificate_paths(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the certificate files and folders that ``environment`` names."""
    values = (environment.get(name, "") for name in CERTIFICATE_VARIABLES)
    return tuple(dict.fromkeys(value for value in values if value.startswith("/")))
