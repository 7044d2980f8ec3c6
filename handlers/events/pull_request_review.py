"""``pull_request_review``: changes requested on a pull request of Suture, or a command in a review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.untrusted import clean
from handlers import subjects
from handlers.commands.command import Place, Situation
from handlers.commands.interpretation import intents_of_comment
from handlers.events.event import Event
from handlers.identity import is_own_pull, may_ask, required
from handlers.intents import Permission, RefineRun
from handlers.payloads import Envelope, Id, PullRequestShape, Shape, Text

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Review(Shape):
    """The review; its comments on lines are fetched by its id."""

    id: Id
    state: str
    body: Text = ""


class Payload(Envelope):
    """What is read of the event."""

    review: Review
    pull_request: PullRequestShape


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    pull, review, actor = payload.pull_request, payload.review, payload.who()
    own = is_own_pull(config, pull)
    situation = Situation(
        repository=payload.where(),
        actor=actor,
        subject=subjects.pull(pull.number),
        place=Place.OWN_PULL_REQUEST if own else Place.OTHER_PULL_REQUEST,
        closed=pull.state != "open",
        config=config,
    )
    asked = intents_of_comment(review.body, situation)
    requests = review.state.lower() == "changes_requested"
    if asked or not (requests and own) or situation.closed or not may_ask(config, actor):
        return asked
    return (
        RefineRun(
            repository=situation.repository,
            actor=actor,
            requires=required(actor, config.permission, Permission.WRITE),
            pull_number=pull.number,
            feedback=clean(review.body).text,
            cause="review",
            head_sha=pull.head.sha,
            subject=situation.subject,
            review_id=review.id,
        ),
    )


EVENT = Event(
    name="pull_request_review", shape=Payload, actions=frozenset({"submitted"}), interpret=_interpret
)
