"""``issues``: an issue opened with, or given, one of the labels that ask for a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ConfigDict

from agent.errors import ReportError
from agent.reports import report_from_github_issue
from agent.reports.forms import GitHubIssue
from handlers import subjects
from handlers.events.event import Event
from handlers.identity import may_ask, required
from handlers.intents import Permission, RejectCommand, StartRun
from handlers.payloads import Envelope, Id, LabelShape

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Issue(GitHubIssue):
    """The issue, as a report and as far as it decides whether to run."""

    model_config = ConfigDict(hide_input_in_errors=True)

    number: Id
    state: str


class Payload(Envelope):
    """What is read of the event; ``label`` comes with ``labeled`` only."""

    issue: Issue
    label: LabelShape | None = None


def _interpret(payload: Payload, config: TriggerConfig) -> tuple[AnyIntent, ...]:
    """Return a run; always with triage rights, for a template can label the issue of a stranger."""
    actor = payload.who()
    labels = [payload.label.name] if payload.label else payload.issue.label_names
    wanted = {label.casefold() for label in config.labels}
    asked = any(label.casefold() in wanted for label in labels)
    if not asked or payload.issue.state != "open" or not may_ask(config, actor):
        return ()
    repository, subject = payload.where(), subjects.issue(payload.issue.number)
    requires = required(actor, Permission.TRIAGE)
    try:
        report = report_from_github_issue(payload.issue)
    except ReportError as error:
        return (
            RejectCommand(
                repository=repository, actor=actor, requires=requires, subject=subject, reason=str(error)
            ),
        )
    return (StartRun(repository=repository, actor=actor, requires=requires, subject=subject, report=report),)


EVENT = Event(name="issues", shape=Payload, actions=frozenset({"opened", "labeled"}), interpret=_interpret)
