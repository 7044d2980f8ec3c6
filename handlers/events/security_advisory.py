"""``security_advisory``: a global advisory; the jobs find the installed repositories it concerns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ConfigDict

from agent.errors import ReportError
from agent.reports import report_from_github_advisory
from agent.reports.forms import AdvisoryVulnerability, GitHubAdvisory
from handlers.errors import PayloadError
from handlers.events.event import Event
from handlers.intents import AdvisoryBroadcast
from handlers.payloads import GHSA, Shape

if TYPE_CHECKING:
    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig


class Package(Shape):
    """A package as its registry names it."""

    ecosystem: str
    name: str


class Vulnerability(AdvisoryVulnerability):
    """One vulnerable package with its versions."""

    package: Package


class Advisory(GitHubAdvisory):
    """The advisory."""

    model_config = ConfigDict(hide_input_in_errors=True)

    ghsa_id: GHSA
    vulnerabilities: list[Vulnerability]  # type: ignore[assignment]  # each is what the report reads, and more


class Payload(Shape):
    """What is read of the event; it has neither repository nor installation."""

    action: str
    security_advisory: Advisory


def _interpret(payload: Payload, _config: TriggerConfig) -> tuple[AnyIntent, ...]:
    advisory = payload.security_advisory
    try:
        report = report_from_github_advisory(advisory)
    except ReportError as error:
        raise PayloadError("security_advisory", (str(error),)) from None
    packages = dict.fromkeys((one.package.ecosystem, one.package.name) for one in advisory.vulnerabilities)
    return (AdvisoryBroadcast(report=report, packages=tuple(packages), action=payload.action),)


EVENT = Event(
    name="security_advisory",
    shape=Payload,
    actions=frozenset({"published", "updated"}),
    interpret=_interpret,
)
