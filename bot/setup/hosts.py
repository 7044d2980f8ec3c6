"""Where a GitHub is reached: github.com, GitHub Enterprise Cloud with data residency, and Enterprise Server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from bot.setup.errors import SetupError

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_ORGANIZATION = re.compile(r"^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38})$")

_ODD = re.compile(r"[\s<>\"'\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One GitHub: the address people use, and the one its REST API has; neither ends in a slash."""

    web_url: str
    api_url: str

    def new_app_url(self, organization: str, state: str) -> str:
        """Return where a manifest is posted to, for an organisation or (empty) for one's own account."""
        owner = f"/organizations/{organization}" if organization else ""
        return f"{self.web_url}{owner}/settings/apps/new?state={quote(state)}"

    def conversion_url(self, code: str) -> str:
        """Return where a code is exchanged for the new App's credentials."""
        return f"{self.api_url}/app-manifests/{quote(code, safe='')}/conversions"


def read_host(address: str) -> Host:
    """Return the GitHub at ``address``; raise ``SetupError`` when it is none."""
    parts = _web_parts(address if "://" in address else f"https://{address}", "The address of GitHub")
    name = parts.hostname or ""
    place = parts.netloc.rpartition("@")[2].lower()
    if name in {"github.com", "www.github.com", "api.github.com"}:
        return Host(web_url="https://github.com", api_url="https://api.github.com")
    if name.endswith(".ghe.com"):
        bare = name.removeprefix("api.")
        return Host(web_url=f"https://{bare}", api_url=f"https://api.{bare}")
    return Host(web_url=f"{parts.scheme}://{place}", api_url=f"{parts.scheme}://{place}/api/v3")


def read_organization(name: str) -> str:
    """Return an organisation's name, empty for one's own account."""
    name = name.strip()
    if name and not _ORGANIZATION.match(name):
        raise SetupError("An organisation is given by its short name, as in github.com/NAME.")
    return name


def read_public_url(address: str, host: Host) -> str:
    """Return the address under which ``host`` reaches Suture, without a slash at its end."""
    address = address.strip().rstrip("/")
    parts = _web_parts(address, "The address of this server")
    if parts.query or parts.fragment or parts.username:
        raise SetupError(
            "The address of this server is plain: https://suture.example.org, perhaps with a path."
        )
    if _is_loopback(address) and not _is_loopback(host.web_url):
        raise SetupError(
            "GitHub cannot reach localhost; give an address that the network knows, or a tunnel's."
        )
    return address


def _is_loopback(address: str) -> bool:
    name = urlsplit(address).hostname or ""
    return name in {"localhost", "::1"} or name.endswith(".localhost") or name.startswith("127.")


def _web_parts(address: str, what: str) -> SplitResult:
    try:
        parts = urlsplit(address.strip())
        named = bool(parts.hostname) and parts.port != 0  # a port that is no number raises here
    except ValueError:
        parts, named = urlsplit(""), False
    if not named or parts.scheme not in {"http", "https"} or _ODD.search(address.strip()):
        raise SetupError(f"{what} looks like https://HOST, with http:// or https:// in front.")
    return parts
