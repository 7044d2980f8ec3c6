"""``pull_request_review_comment``: a command in a new comment on a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers import subjects
from handlers.commands.command import Place, Situation
from handlers.commands.interpretation import intents_of_comment
from handlers.events.event import Event
from handlers.identity import is_own_pull
from handlers.payloads import Envelope, Id, PullRequestShape, Shape, Text

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Comment(Shape):
    """The comment."""

    id: Id
    body: Text = ""


class Payload(Envelope):
    """What is read of the event."""

    comment: Comment
    pull_request: PullRequestShape


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    pull = payload.pull_request
    return intents_of_comment(
        payload.comment.body,
        Situation(
            repository=payload.where(),
            actor=payload.who(),
            subject=subjects.pull(pull.number, review_comment_id=payload.comment.id),
            place=Place.OWN_PULL_REQUEST if is_own_pull(config, pull) else Place.OTHER_PULL_REQUEST,
            closed=pull.state != "open",
            config=config,
        ),
    )


EVENT = Event(
    name="pull_request_review_comment", shape=Payload, actions=frozenset({"created"}), interpret=_interpret
)
