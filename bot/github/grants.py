"""What each kind of call may do: every installation token is narrowed to one of these and one repository.

``app.yml`` asks for exactly their union (``REQUESTED``); a test holds the two equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Grant:
    """A named set of permissions, in GitHub's words."""

    name: str
    permissions: Mapping[str, str]


LOOK = Grant("look", {"metadata": "read", "contents": "read"})
READ = Grant("read", {"metadata": "read", "contents": "read", "issues": "read", "pull_requests": "read"})
FETCH = Grant("fetch", {"metadata": "read", "contents": "read"})
ADVISORIES = Grant("advisories", {"metadata": "read", "repository_advisories": "read"})
DEPENDABOT = Grant("dependabot", {"metadata": "read", "vulnerability_alerts": "read"})
CODE_SCANNING = Grant("code_scanning", {"metadata": "read", "security_events": "read"})
DISCUSS = Grant("discuss", {"metadata": "read", "issues": "write", "pull_requests": "write"})
CHECK = Grant("check", {"metadata": "read", "checks": "write"})
PUBLISH = Grant(
    "publish", {"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write"}
)

ALL = (LOOK, READ, FETCH, ADVISORIES, DEPENDABOT, CODE_SCANNING, DISCUSS, CHECK, PUBLISH)


def requested(grants: tuple[Grant, ...] = ALL) -> dict[str, str]:
    """Return the union of the grants: what the App's registration must ask for."""
    union: dict[str, str] = {}
    for grant in grants:
        for permission, level in grant.permissions.items():
            union[permission] = max(union.get(permission, ""), level)  # "write" sorts after "read"
    return dict(sorted(union.items()))
