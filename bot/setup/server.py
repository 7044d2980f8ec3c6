"""Serve the page until the App is registered."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from waitress.server import create_server

from bot.setup.credentials import check_folder, store
from bot.setup.errors import SetupError
from bot.setup.exchange import exchange
from bot.setup.manifest import read_registration
from bot.setup.page import Steps, Visit, create_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bot.setup.credentials import AppCredentials
    from bot.setup.hosts import Host
    from bot.setup.page import Wishes

HOST = "127.0.0.1"
LAST_PAGE_SECONDS = 1.0
"""How long the server stays after it is done, so that the browser gets the last page and its style."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The App that came out, and where its credentials are."""

    app: AppCredentials
    files: tuple[Path, ...]


def register_app(
    wishes: Wishes, folder: Path, *, port: int, replace: bool, seconds: float, announce: Callable[[str], None]
) -> Registered:
    """Serve the page on ``port`` (0: any free one) until the App is stored; raise ``SetupError``.

    ``announce`` is given the page's address once it answers.
    """
    check_folder(folder, replace=replace)
    visit = Visit()
    steps = Steps(
        exchange=exchange,
        check=partial(check_folder, folder, replace=replace),
        store=partial(_store, folder),
    )
    app = create_page(read_registration(), wishes, steps, visit)
    listener = _listen(port)
    server = create_server(app, sockets=[listener], threads=4, ident=None)
    Thread(target=server.run, daemon=True).start()
    try:
        announce(f"http://{HOST}:{listener.getsockname()[1]}/?key={visit.key}")
        if not visit.finished.wait(seconds) or visit.credentials is None:
            raise SetupError("Nobody finished the registration in time; run `suture setup` again.")
        time.sleep(LAST_PAGE_SECONDS)
    finally:
        server.close()
    return Registered(app=visit.credentials, files=visit.files)


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise SetupError(
            f"Cannot listen on port {port} ({error.strerror}); choose another by --port."
        ) from None


def _store(folder: Path, credentials: AppCredentials, host: Host) -> tuple[Path, ...]:
    return store(credentials, folder, web_url=host.web_url, api_url=host.api_url)
