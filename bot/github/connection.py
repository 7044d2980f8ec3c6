"""Everything that is shared by all calls to one GitHub: connections, tokens, queues, remembered answers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from github.Repository import Repository as RemoteRepository

from bot.github.etags import ETags
from bot.github.pacing import Pace, Paces
from bot.github.tokens import AppStatement, InstallationCredential, InstallationTokens
from bot.github.transport import Transport
from bot.github.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.github.grants import Grant
    from bot.github.hosts import GitHubConfig
    from bot.github.pacing import RateBudget
    from handlers.intents import Repository

THE_APP = 0


class Connection:
    """The wires to one GitHub, one for each viewer; safe to use from many threads."""

    def __init__(self, config: GitHubConfig) -> None:
        self.config = config
        self._transport = Transport(seconds=config.request_seconds)
        self._etags = ETags()
        self._paces = Paces(lambda: Pace(write_seconds=config.write_seconds, patience=config.patience))
        self._wires: dict[tuple[int, int, str], Wire] = {}
        self._lock = threading.Lock()
        self._slug = ""
        self.app = Wire(
            api_url=config.api_url,
            transport=self._transport,
            credential=AppStatement(config.app_id, config.private_key),
            # Minting a token changes nothing that people see: it waits for no turn.
            pace=Pace(write_seconds=0.0, patience=config.patience),
            etags=self._etags,
            viewer=(THE_APP, THE_APP, "app"),
        )
        self.tokens = InstallationTokens(self.app)

    def wire(self, repository: Repository, grant: Grant) -> Wire:
        """Return the wire that sees one repository with one grant."""
        viewer = (repository.installation_id, repository.id, grant.name)
        with self._lock:
            if viewer not in self._wires:
                self._wires[viewer] = self._make(viewer, grant)
            return self._wires[viewer]

    def repository(self, repository: Repository, name: str, grant: Grant) -> RemoteRepository:
        """Return PyGithub's object for a repository under its present name; nothing is fetched yet."""
        return RemoteRepository(self.wire(repository, grant), url=f"{self.app.base_url}/repos/{name}")

    def slug(self) -> str:
        """Return the App's short name; its user is called ``<slug>[bot]``."""
        if not self._slug:
            self._slug = str(self.app.get("/app")["slug"])
        return self._slug

    def budgets(self) -> Iterator[tuple[int, RateBudget]]:
        """Yield each installation with its rate budget, for the metrics."""
        return self._paces.budgets()

    def _make(self, viewer: tuple[int, int, str], grant: Grant) -> Wire:
        installation, repository, _ = viewer
        return Wire(
            api_url=self.config.api_url,
            transport=self._transport,
            credential=InstallationCredential(self.tokens, installation, repository, grant),
            pace=self._paces.of(installation),
            etags=self._etags,
            viewer=viewer,
        )
