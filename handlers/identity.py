"""Who is Suture, whom it listens to, and what they must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.intents import Actor, Permission

if TYPE_CHECKING:
    from handlers.payloads import App, PullRequestShape, User
    from handlers.triggers import TriggerConfig

MARKER = "<!-- suture "
"""How the hidden marker in every comment and pull request body of Suture begins."""

_RISING = (Permission.TRIAGE, Permission.WRITE, Permission.ADMIN)


def is_ours(config: TriggerConfig, actor: Actor | None = None, app: App | None = None) -> bool:
    """Return whether an account or an App is Suture itself."""
    by_app = app is not None and config.app_id != 0 and app.id == config.app_id
    by_login = actor is not None and actor.login.casefold() == config.bot_login.casefold()
    return by_app or (by_login and bool(config.bot_login))


def may_ask(config: TriggerConfig, actor: Actor) -> bool:
    """Return whether this account is listened to at all: people, and bots whose id is listed."""
    return not is_ours(config, actor) and (not actor.is_bot or actor.id in config.trusted_bots)


def required(actor: Actor, *levels: Permission) -> Permission:
    """Return the highest of the levels; a bot is listed or not heard, and holds no permission to ask of."""
    if actor.is_bot:
        return Permission.SYSTEM
    return max(levels, key=_RISING.index)


def is_own_branch(config: TriggerConfig, branch: str | None) -> bool:
    """Return whether Suture made this branch."""
    return bool(branch) and str(branch).startswith(config.branch_prefix)


def is_own_pull(config: TriggerConfig, pull: PullRequestShape) -> bool:
    """Return whether Suture opened this pull request, from a branch of the repository itself."""
    return pull.in_own_repository and is_own_branch(config, pull.head.ref) and is_author(config, pull.user)


def is_author(config: TriggerConfig, user: User | None) -> bool:
    """Return whether Suture is the author."""
    return user is not None and is_ours(config, user.actor())
