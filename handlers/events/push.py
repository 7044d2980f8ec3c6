"""``push``: a watched branch moved; the index follows, and the configuration is read again if it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from handlers.branches import branch_of, is_watched
from handlers.events.event import Event
from handlers.intents import CheckConfig, Permission, Reindex
from handlers.payloads import Envelope, Ref, Sha, Shape

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig

LISTED_COMMITS = 2048
"""GitHub lists no more commits than these in one payload."""


class Commit(Shape):
    """The files a commit touched."""

    added: list[str] = Field(default=[])
    removed: list[str] = Field(default=[])
    modified: list[str] = Field(default=[])


class Payload(Envelope):
    """What is read of the event."""

    ref: Ref
    after: Sha
    created: bool = False
    deleted: bool = False
    forced: bool = False
    commits: list[Commit] = Field(default=[])


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    repository, branch = payload.where(), branch_of(payload.ref)
    if payload.deleted or not is_watched(payload.ref, repository, config):
        return ()
    reindex = Reindex(
        repository=repository,
        actor=payload.who(),
        requires=Permission.SYSTEM,
        branch=branch,
        head_sha=payload.after,
    )
    if branch != repository.default_branch or not _may_touch(payload, config.config_path):
        return (reindex,)
    check = CheckConfig(
        repository=repository, actor=payload.who(), requires=Permission.SYSTEM, head_sha=payload.after
    )
    return (check, reindex)


def _may_touch(payload: Payload, path: str) -> bool:
    """Return whether the push may have changed ``path``; a list that cannot be complete says yes."""
    if payload.created or payload.forced or len(payload.commits) >= LISTED_COMMITS:
        return True
    return any(path in (*one.added, *one.removed, *one.modified) for one in payload.commits)


EVENT = Event(name="push", shape=Payload, interpret=_interpret)
