"""``suture setup``: register the App with GitHub and keep its credentials."""

from __future__ import annotations

import os
import sys
from pathlib import Path  # noqa: TC003 (typer reads the annotation)
from typing import Annotated

import typer

from bot.errors import BotError
from bot.settings import load_settings
from bot.setup import Wishes, register_app

SECONDS = 3_600.0
"""GitHub wants the registration finished within an hour."""

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("setup")(setup)


def setup(
    *,
    url: Annotated[str, typer.Option(help="The https address under which GitHub reaches this server.")] = "",
    organization: Annotated[
        str, typer.Option("--org", help="The organisation that shall own the App; empty for your account.")
    ] = "",
    github: Annotated[
        str, typer.Option(help="GitHub's address; give that of your GitHub Enterprise Server.")
    ] = "https://github.com",
    name: Annotated[str, typer.Option(help="The App's name, unique on its GitHub.")] = "",
    folder: Annotated[
        Path | None, typer.Option(help="Where credentials are kept; the data folder when not given.")
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The page's port on localhost; 0 for any.")
    ] = 8976,
    replace: Annotated[bool, typer.Option(help="Replace the credentials that are there.")] = False,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser of this machine.")] = True,
) -> None:
    """Register Suture as a GitHub App, on a page in the browser, in three steps."""
    wishes = Wishes(github=github, organization=organization, public_url=url, name=name)
    try:
        done = register_app(
            wishes,
            folder or load_settings().data_dir,
            port=port,
            replace=replace,
            seconds=SECONDS,
            announce=lambda address: _announce(address, open_it=browser),
        )
    except BotError as error:
        sys.stderr.write(f"suture: {error}\n")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        sys.stderr.write("suture: stopped; nothing was registered here.\n")
        raise typer.Exit(130) from None
    sys.stdout.write(f"The App {done.app.name} is registered. Its credentials:\n")
    sys.stdout.writelines(f"  {file}\n" for file in done.files)
    sys.stdout.write(f"Install it on repositories: {done.app.html_url}/installations/new\n")


def _announce(address: str, *, open_it: bool) -> None:
    """Print the page's address, and open it where there is a screen."""
    port = address.split("/", maxsplit=3)[2].rpartition(":")[2]
    sys.stdout.write(
        f"Open this page: {address}\n"
        f"On a server without a screen, first forward the port from your own machine:\n"
        f"  ssh -L {port}:127.0.0.1:{port} THIS-SERVER\n"
    )
    sys.stdout.flush()
    if open_it and has_screen():
        typer.launch(address)


def has_screen() -> bool:
    """Return whether a browser could be opened here."""
    return sys.platform in {"darwin", "win32"} or any(os.environ.get(name) for name in DISPLAYS)
