"""``issue_comment``: a command in a new comment on an issue or a pull request. Edits never count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers import subjects
from handlers.commands.command import Place, Situation
from handlers.commands.interpretation import intents_of_comment
from handlers.events.event import Event
from handlers.identity import is_author, is_ours
from handlers.payloads import App, Envelope, Id, Shape, Text, User

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Issue(Shape):
    """What the comment stands on; ``pull_request`` is there when it is one."""

    number: Id
    state: str
    user: User | None = None
    pull_request: object = None


class Comment(Shape):
    """The comment."""

    id: Id
    body: Text = ""
    performed_via_github_app: App | None = None


class Payload(Envelope):
    """What is read of the event."""

    issue: Issue
    comment: Comment


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    issue, comment = payload.issue, payload.comment
    if is_ours(config, app=comment.performed_via_github_app):
        return ()
    on_pull = issue.pull_request is not None
    subject = subjects.pull if on_pull else subjects.issue
    return intents_of_comment(
        comment.body,
        Situation(
            repository=payload.where(),
            actor=payload.who(),
            subject=subject(issue.number, comment_id=comment.id),
            place=_place(issue, config) if on_pull else Place.ISSUE,
            closed=issue.state != "open",
            config=config,
        ),
    )


def _place(issue: Issue, config: TriggerConfig) -> Place:
    return Place.OWN_PULL_REQUEST if is_author(config, issue.user) else Place.OTHER_PULL_REQUEST


EVENT = Event(name="issue_comment", shape=Payload, actions=frozenset({"created"}), interpret=_interpret)
