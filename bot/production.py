"""The App's ports in production: GitHub, checkouts and the repair engine as the operator set them up."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.app import Ports
from bot.compose import embedder_config, open_workshop
from bot.engine import WorkshopEngine
from bot.errors import SettingsError
from bot.github.checkout import CheckoutConfig, GitCheckouts
from bot.github.client import GitHubApp
from bot.github.hosts import GitHubConfig
from bot.indexing import MirrorIndexer

if TYPE_CHECKING:
    from bot.settings import Settings

NEEDED = ("app_id", "private_key", "webhook_secret")


def open_github(settings: Settings) -> GitHubApp:
    """Return the client of the registered App; ``SettingsError`` names what is missing."""
    missing = [name for name in NEEDED if not _text(getattr(settings, name))]
    if missing:
        names = ", ".join(f"SUTURE_{name.upper()}" for name in missing)
        raise SettingsError(f"the GitHub App is not set up: {names} missing; run: suture setup")
    return GitHubApp(
        GitHubConfig(
            app_id=settings.app_id,
            private_key=settings.private_key.get_secret_value(),
            api_url=settings.github_api_url or api_url(settings.github_url),
        )
    )


def open_ports(settings: Settings) -> Ports:
    """Return the ports; raise what the sandbox or the settings lack."""
    github = open_github(settings)
    config = CheckoutConfig(folder=settings.data_dir / "checkouts", environment=settings.passed_on)
    checkouts = GitCheckouts(config, github.connection, github.refresh)
    return Ports(
        github=github,
        checkouts=checkouts,
        engine=WorkshopEngine(workshop=open_workshop(settings)),
        indexer=MirrorIndexer(
            cache=settings.cache_dir,
            history=github,
            mirror_of=checkouts.mirror_path,
            embedder=embedder_config(settings),
        ),
    )


def api_url(web_url: str) -> str:
    """Return the API of a GitHub known by its web address: the public one, ghe.com, or one's own server."""
    parts = urlsplit(web_url.rstrip("/"))
    if parts.netloc == "github.com" or parts.netloc.endswith(".ghe.com"):
        return f"{parts.scheme}://api.{parts.netloc}"
    return f"{parts.scheme}://{parts.netloc}{parts.path}/api/v3"


def _text(value: object) -> str:
    reveal = getattr(value, "get_secret_value", None)
    return str(reveal() if reveal else value or "")
