"""``app.yml``, and the manifest GitHub is given.

Source: https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from bot.setup.errors import SetupError

WEBHOOK_PATH = "/webhook"
NAME_CHARACTERS = 34
"""GitHub takes no longer names of Apps."""


class Permission(BaseModel):
    """How much is asked for, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Literal["read", "write"]
    why: Annotated[str, Field(min_length=10)]


class Registration(BaseModel):
    """``app.yml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    description: str
    public: bool
    permissions: dict[str, Permission]
    events: tuple[str, ...]


def read_registration() -> Registration:
    """Return ``app.yml``: beside this file where Suture is installed, else at the root of its repository."""
    here = Path(__file__).resolve()
    places = (here.with_name("app.yml"), here.parents[2] / "app.yml")
    path = next(place for place in places if place.is_file())
    return Registration.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def manifest(
    registration: Registration, *, name: str, public_url: str, redirect_url: str
) -> dict[str, object]:
    """Return the manifest of an App that is reached at ``public_url``."""
    return {
        "name": name,
        "description": registration.description,
        "url": public_url,
        "public": registration.public,
        "hook_attributes": {"url": f"{public_url}{WEBHOOK_PATH}", "active": True},
        "redirect_url": redirect_url,
        "default_permissions": {key: asked.level for key, asked in registration.permissions.items()},
        "default_events": list(registration.events),
    }


def read_name(name: str) -> str:
    """Return the App's name; raise ``SetupError`` for one that GitHub would refuse."""
    name = " ".join(name.split())
    if not name or len(name) > NAME_CHARACTERS:
        raise SetupError(f"The App needs a name of 1 to {NAME_CHARACTERS} characters.")
    return name


def suggested_name(organization: str) -> str:
    """Return a name that is likely to be free: names of Apps are unique on a GitHub."""
    return f"suture-{organization or secrets.token_hex(3)}"[:NAME_CHARACTERS]
