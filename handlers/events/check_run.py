"""``check_run``: a check failed on a branch of Suture, or somebody pressed a button of Suture's own check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from agent.untrusted import clean
from handlers import subjects
from handlers.events.event import Event
from handlers.identity import is_ours, is_own_branch, may_ask, required
from handlers.intents import ApproveRun, CancelRun, Permission, RefineRun, StartRun
from handlers.payloads import App, Envelope, PullRequestReference, Ref, Sha, Shape, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig

FAILED = frozenset({"failure", "timed_out"})
"""Conclusions that speak against the patch; a cancelled or stale check says nothing."""

FEEDBACK_CHARACTERS = 4_000


class Suite(Shape):
    """The suite of a check."""

    head_branch: Ref | None = None


class Output(Shape):
    """What the check said."""

    title: Text = ""
    summary: Text = ""


class CheckRun(Shape):
    """The check; ``external_id`` of our own is the run's id."""

    name: Text = ""
    head_sha: Sha
    conclusion: Text = ""
    external_id: Text = ""
    app: App | None = None
    check_suite: Suite | None = None
    pull_requests: list[PullRequestReference] = Field(default=[])
    output: Output | None = None


class Button(Shape):
    """The button that was pressed."""

    identifier: str


class Payload(Envelope):
    """What is read of the event."""

    check_run: CheckRun
    requested_action: Button | None = None


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    ours = is_ours(config, app=payload.check_run.app)
    if payload.action == "completed":
        return () if ours else _refinements(payload, config)
    return _pressed(payload, config) if ours else ()


def _refinements(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    check = payload.check_run
    branch = check.check_suite.head_branch if check.check_suite else None
    if check.conclusion not in FAILED or not is_own_branch(config, branch):
        return ()
    output = check.output or Output()
    said = "\n".join(part for part in (check.name, output.title, output.summary) if part)
    said = clean(said[:FEEDBACK_CHARACTERS]).text
    return tuple(
        RefineRun(
            repository=payload.where(),
            actor=payload.who(),
            requires=Permission.SYSTEM,
            pull_number=pull.number,
            feedback=said,
            cause="check_run",
            head_sha=check.head_sha,
        )
        for pull in check.pull_requests
    )


def _pressed(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    actor, run_id = payload.who(), payload.check_run.external_id
    if not run_id or not may_ask(config, actor):
        return ()
    button = payload.requested_action.identifier if payload.requested_action else ""
    if payload.action == "rerequested":
        button = "retry"
    intent = BUTTONS.get(button)
    return (intent(payload, required(actor, config.permission, Permission.WRITE)),) if intent else ()


def _retry(payload: Payload, requires: Permission) -> StartRun:
    return StartRun(
        repository=payload.where(),
        actor=payload.who(),
        requires=requires,
        subject=subjects.run(payload.check_run.external_id),
        command="retry",
        retry=True,
    )


def _approve(payload: Payload, requires: Permission) -> ApproveRun:
    return ApproveRun(
        repository=payload.where(),
        actor=payload.who(),
        requires=requires,
        subject=subjects.run(payload.check_run.external_id),
        run_id=payload.check_run.external_id,
    )


def _stop(payload: Payload, requires: Permission) -> CancelRun:
    return CancelRun(
        repository=payload.where(),
        actor=payload.who(),
        requires=requires,
        subject=subjects.run(payload.check_run.external_id),
    )


BUTTONS: Mapping[str, Callable[[Payload, Permission], AnyIntent]] = {
    "retry": _retry,
    "approve": _approve,
    "stop": _stop,
}
"""Identifiers of the buttons on Suture's check (GitHub allows 20 characters)."""

EVENT = Event(
    name="check_run",
    shape=Payload,
    actions=frozenset({"completed", "requested_action", "rerequested"}),
    interpret=_interpret,
)
