"""The sandbox's own frozen configuration; ``bot/app.py`` fills it from the settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CERTIFICATE_VARIABLES = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
    "NPM_CONFIG_CAFILE",
    "npm_config_cafile",
    "CARGO_HTTP_CAINFO",
)
"""Variables of which the value is a file or folder that must be visible in the install phase."""

REGISTRY_VARIABLES = (
    *CERTIFICATE_VARIABLES,
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_NO_INDEX",
    "PIP_TRUSTED_HOST",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_CONFIG_FILE",
    "UV_INDEX",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_INDEX_STRATEGY",
    "UV_INSECURE_HOST",
    "UV_HTTP_TIMEOUT",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
    "NPM_CONFIG_REGISTRY",
    "npm_config_registry",
    "YARN_REGISTRY",
    "YARN_NPM_REGISTRY_SERVER",
    "GOPROXY",
    "GOSUMDB",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
)
"""What an install may learn of the host's environment: where packages come from, and nothing else."""


class Backend(StrEnum):
    """How commands are kept apart; ``AUTO`` takes the first that really starts."""

    AUTO = "auto"
    BUBBLEWRAP = "bubblewrap"
    CONTAINER = "container"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerConfig:
    """The container engine; ``runtime`` is for instance ``runsc`` for gVisor, None for the engine's own."""

    engine: str = "docker"
    image: str = "debian:bookworm"
    runtime: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxConfig:
    """Everything a backend needs to know; reads nothing from the process environment itself.

    ``cache`` is Suture's cache folder. ``host_uid`` and ``host_gid`` are used only when Suture is started by
    root: they need no name in the user database, but no person or service may own them. ``environment`` is
    the host's environment, of which the names in ``registry_variables`` reach an install.
    ``install_paths`` are host files or folders shown read-only, at their own path, in the install phase
    (``/etc/pip.conf``, a local package index); ``registry_credentials`` lets addresses keep their user part.
    """

    cache: Path
    backend: Backend = Backend.AUTO
    host_uid: int = 64017
    host_gid: int = 64017
    bwrap: str = "bwrap"
    container: ContainerConfig = field(default_factory=ContainerConfig)
    environment: Mapping[str, str] = field(default_factory=dict)
    registry_variables: tuple[str, ...] = REGISTRY_VARIABLES
    registry_credentials: bool = False
    install_paths: tuple[Path, ...] = ()
    cgroup_parent: Path | None = None
    setup_seconds: float = 120.0
