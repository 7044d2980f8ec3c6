"""Shapes that many payloads share, as far as they are read; what an event adds stands in its own file.

Keys that GitHub adds are ignored; a missing or mistyped one that is needed becomes a ``PayloadError``.
Source: https://docs.github.com/webhooks/webhook-events-and-payloads.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from handlers.intents import Actor, Repository

Id = Annotated[int, Field(ge=0, lt=2**63)]
"""An id or number as databases can hold it."""

Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""Text that GitHub sends as null when it is empty."""

Sha = Annotated[str, Field(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
Login = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\[\]-]{1,100}$")]
FullName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$")]
GHSA = Annotated[str, Field(pattern=r"^GHSA(?:-[0-9A-Za-z]{4}){3}$")]
Ref = Annotated[str, Field(pattern=r"^[^\x00-\x20\x7f~^:?*\[\\]{1,255}$")]


class Shape(BaseModel):
    """Base of the payload shapes: strict types, unknown keys ignored, values never shown in errors."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, hide_input_in_errors=True)


class User(Shape):
    """An account; ``type`` is ``User``, ``Bot`` or ``Organization``."""

    id: Id
    login: Login
    type: Text = ""

    def actor(self) -> Actor:
        """Return who this is; apps are bots whatever their ``type`` says."""
        is_bot = self.type == "Bot" or self.login.lower().endswith("[bot]")
        return Actor(id=self.id, login=self.login, is_bot=is_bot)


GHOST = Actor(id=0, login="ghost", is_bot=False)
"""Nobody: the account is deleted, or GitHub does not say who it was."""


class App(Shape):
    """The App that did something."""

    id: Id
    slug: Text = ""


class RepositoryShape(Shape):
    """A repository; the short form that installation events carry has only the first three keys."""

    id: Id
    full_name: FullName
    private: bool = False
    default_branch: Ref | None = None
    archived: bool = False
    fork: bool = False

    def repository(self, installation_id: int) -> Repository:
        """Return the repository an intent speaks of."""
        return Repository(
            id=self.id,
            full_name=self.full_name,
            installation_id=installation_id,
            default_branch=self.default_branch or "",
            private=self.private,
            archived=self.archived,
            fork=self.fork,
        )


class Installation(Shape):
    """The installation a delivery was sent for."""

    id: Id


class Account(Shape):
    """Where Suture is installed: a user or an organisation (``login``), or an enterprise (``slug``)."""

    login: Login = ""
    slug: Login = ""


class InstallationShape(Installation):
    """An installation as events about it carry it."""

    account: Account | None = None

    def name(self) -> str:
        """Return the account's name, empty when it is gone."""
        return (self.account.login or self.account.slug) if self.account else ""


class Envelope(Shape):
    """What every event about a repository carries.

    ``installation`` is missing only when a repository's own webhook was pointed here; its id is then 0.
    """

    action: Text = ""
    repository: RepositoryShape
    sender: User | None = None
    installation: Installation | None = None

    def where(self) -> Repository:
        """Return the repository with its installation."""
        return self.repository.repository(self.installation.id if self.installation else 0)

    def who(self) -> Actor:
        """Return the account that caused the event."""
        return self.sender.actor() if self.sender else GHOST


class LabelShape(Shape):
    """A label."""

    name: str


class HeadRepository(Shape):
    """The repository of a head or base, null when a fork was deleted."""

    id: Id


class Branch(Shape):
    """One side of a pull request."""

    ref: Ref
    sha: Sha
    repo: HeadRepository | None = None


class PullRequestShape(Shape):
    """A pull request as events about it and its reviews carry it."""

    number: Id
    state: str = "open"
    merged: bool | None = None
    user: User | None = None
    head: Branch
    base: Branch

    @property
    def in_own_repository(self) -> bool:
        """Return whether its branch lives in the repository itself, not in a fork."""
        return self.head.repo is not None and self.base.repo is not None and self.head.repo == self.base.repo


class PullRequestReference(Shape):
    """A pull request as checks name it."""

    number: Id
