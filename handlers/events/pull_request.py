"""``pull_request``: what people did to a pull request of Suture. A commit by others hands the branch over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.events.event import Event
from handlers.identity import is_ours, is_own_pull
from handlers.intents import Permission, RecordFeedback
from handlers.payloads import Envelope, PullRequestShape, Text

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class ChangedPullRequest(PullRequestShape):
    """The pull request, with the commit that merged it."""

    merge_commit_sha: Text = ""


class Payload(Envelope):
    """What is read of the event."""

    pull_request: ChangedPullRequest


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    pull, actor = payload.pull_request, payload.who()
    if not is_own_pull(config, pull) or is_ours(config, actor):
        return ()
    what = _what(payload)
    return (
        RecordFeedback(
            repository=payload.where(),
            actor=actor,
            requires=Permission.SYSTEM,
            pull_number=pull.number,
            what=what,
            head_sha=pull.head.sha,
            detail=pull.merge_commit_sha if what == "merged" else "",
        ),
    )


def _what(payload: Payload) -> str:
    if payload.action == "closed":
        return "merged" if payload.pull_request.merged else "closed"
    return {"reopened": "reopened", "synchronize": "human_commit"}[payload.action]


EVENT = Event(
    name="pull_request",
    shape=Payload,
    actions=frozenset({"closed", "reopened", "synchronize"}),
    interpret=_interpret,
)
