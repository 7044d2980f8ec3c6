"""Why a backend does not start on this host, and what to type. Pure; kernel settings come as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS: Final = (
    "kernel/apparmor_restrict_unprivileged_userns",
    "kernel/unprivileged_userns_clone",
    "user/max_user_namespaces",
)
"""Below ``/proc/sys``: what distributions use to forbid user namespaces."""

_CONTAINER: Final = "Or use a container engine: backend = container."


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The reason in one sentence, and what to type."""

    reason: str
    remedy: str


def advice(message: str, settings: Mapping[str, str]) -> Advice:
    """Return what the starter's last ``message`` means under the host's ``settings``."""
    if settings.get("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return Advice(
            reason=f"AppArmor forbids user namespaces to ordinary programs ({message})",
            remedy="Allow bubblewrap: apt install apparmor-profiles && ln -s "
            "/usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && "
            "systemctl reload apparmor. " + _CONTAINER,
        )
    if settings.get("kernel/unprivileged_userns_clone") == "0":
        return Advice(
            reason=f"this kernel forbids user namespaces to ordinary users ({message})",
            remedy="Type: sysctl -w kernel.unprivileged_userns_clone=1. " + _CONTAINER,
        )
    if settings.get("user/max_user_namespaces") == "0":
        return Advice(
            reason=f"this host allows no user namespace ({message})",
            remedy="Type: sysctl -w user.max_user_namespaces=10000. " + _CONTAINER,
        )
    if "nknown option" in message:
        return Advice(
            reason=f"bubblewrap is older than 0.8 ({message})", remedy="Upgrade bubblewrap. " + _CONTAINER
        )
    if "ermission" in message or "not permitted" in message:
        return Advice(
            reason=f"new namespaces are refused, as they are inside most containers ({message})",
            remedy="Start Suture's container with --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined. " + _CONTAINER,
        )
    return Advice(reason=f"the sandbox does not start ({message})", remedy="Run: suture doctor.")
