"""``check_suite``: an App's checks failed on a branch of Suture, or Suture's own are asked for again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from handlers import subjects
from handlers.events.check_run import FAILED
from handlers.events.event import Event
from handlers.identity import is_ours, is_own_branch, may_ask, required
from handlers.intents import Permission, RefineRun, StartRun
from handlers.payloads import App, Envelope, PullRequestReference, Ref, Sha, Shape, Text

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class CheckSuite(Shape):
    """The suite; what its checks said is fetched."""

    head_branch: Ref | None = None
    head_sha: Sha
    conclusion: Text = ""
    app: App | None = None
    pull_requests: list[PullRequestReference] = Field(default=[])


class Payload(Envelope):
    """What is read of the event."""

    check_suite: CheckSuite


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    suite = payload.check_suite
    ours = is_ours(config, app=suite.app)
    if not is_own_branch(config, suite.head_branch):
        return ()
    if payload.action == "completed":
        return () if ours or suite.conclusion not in FAILED else _refinements(payload)
    return _retries(payload, config) if ours else ()


def _refinements(payload: Payload) -> tuple[AnyIntent, ...]:
    return tuple(
        RefineRun(
            repository=payload.where(),
            actor=payload.who(),
            requires=Permission.SYSTEM,
            pull_number=pull.number,
            feedback="",
            cause="check_suite",
            head_sha=payload.check_suite.head_sha,
        )
        for pull in payload.check_suite.pull_requests
    )


def _retries(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    actor = payload.who()
    if not may_ask(config, actor):
        return ()
    return tuple(
        StartRun(
            repository=payload.where(),
            actor=actor,
            requires=required(actor, config.permission, Permission.WRITE),
            subject=subjects.pull(pull.number),
            command="retry",
            retry=True,
        )
        for pull in payload.check_suite.pull_requests
    )


EVENT = Event(
    name="check_suite",
    shape=Payload,
    actions=frozenset({"completed", "rerequested"}),
    interpret=_interpret,
)
