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


_BY_SETTING: Final = {
    ("kernel/apparmor_restrict_unprivileged_userns", "1"): Advice(
        reason="AppArmor forbids user namespaces to ordinary programs",
        remedy="Allow bubblewrap: apt install apparmor-profiles && ln -s "
        "/usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && "
        f"systemctl reload apparmor. {_CONTAINER}",
    ),
    ("kernel/unprivileged_userns_clone", "0"): Advice(
        reason="this kernel forbids user namespaces to ordinary users",
        remedy=f"Type: sysctl -w kernel.unprivileged_userns_clone=1. {_CONTAINER}",
    ),
    ("user/max_user_namespaces", "0"): Advice(
        reason="this host allows no user namespace",
        remedy=f"Type: sysctl -w user.max_user_namespaces=10000. {_CONTAINER}",
    ),
}

_REFUSED: Final = Advice(
    reason="new namespaces are refused, as they are inside most containers",
    remedy="Start Suture's container with --security-opt seccomp=unconfined "
    f"--security-opt apparmor=unconfined --security-opt systempaths=unconfined. {_CONTAINER}",
)

_BY_MESSAGE: Final = {
    "daemon": Advice(
        reason="the container engine does not answer",
        remedy="Start it: systemctl start docker. Or install bubblewrap.",
    ),
    "nknown option": Advice(
        reason="bubblewrap is older than 0.8", remedy=f"Upgrade bubblewrap. {_CONTAINER}"
    ),
    "ermission denied": _REFUSED,
    "not permitted": _REFUSED,
}


def advice(message: str, settings: Mapping[str, str]) -> Advice:
    """Return what the starter's ``message`` means under the host's ``settings``."""
    said = (found for part, found in _BY_MESSAGE.items() if part in message)
    forbidden = (found for (name, value), found in _BY_SETTING.items() if settings.get(name) == value)
    known = next(said, None)
    if known is None or known is _REFUSED:
        known = next(forbidden, known)
    if known is None:
        known = Advice(
            reason="the sandbox does not start", remedy="Start it by hand to see more: bwrap --help."
        )
    return Advice(reason=f"{known.reason} ({message})", remedy=known.remedy)
