"""Which GitHub this App belongs to, and how patiently it is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubConfig:
    """The App's identity and the manners of its client; times in seconds.

    ``api_url`` is ``https://api.github.com``, ``https://api.SUBDOMAIN.ghe.com`` or, on GitHub Enterprise
    Server, ``https://HOST/api/v3``. ``patience`` bounds the wait inside one call; a longer one is raised as a
    retryable error that carries ``retry_after``. ``tries`` bounds how often one operation is begun, and
    ``longest_pause`` the wait between two of them: beyond it the caller's job waits instead.
    """

    app_id: int
    private_key: str = field(repr=False)
    api_url: str = "https://api.github.com"
    request_seconds: int = 30
    operation_seconds: float = 600.0
    write_seconds: float = 1.0
    patience: float = 10.0
    tries: int = 4
    backoff: float = 1.0
    longest_pause: float = 180.0
    threads: int = 8

    @property
    def web_url(self) -> str:
        """Return the address people and git use, without a slash at its end."""
        parts = urlsplit(self.api_url.rstrip("/"))
        host = parts.netloc.removeprefix("api.")
        path = parts.path.removesuffix("/api/v3")
        return urlunsplit((parts.scheme, host, path, "", ""))

    @property
    def web_host(self) -> str:
        """Return the host name alone, as in the addresses GitHub gives to users."""
        return urlsplit(self.web_url).hostname or ""
