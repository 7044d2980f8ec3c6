"""From an issue, advisory or alert, as GitHub gives it, to a report. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent.reports import report_from_github_advisory, report_from_github_issue
from bot.errors import GitHubError
from bot.github.grants import ADVISORIES, CODE_SCANNING, DEPENDABOT, READ
from handlers.intents import ReportKind

if TYPE_CHECKING:
    from agent.domain.report import Report
    from bot.github.grants import Grant
    from handlers.intents import Subject

CWE_TAG = re.compile(r"^external/cwe/cwe-0*(\d+)$", re.IGNORECASE)


def source(subject: Subject) -> tuple[Grant, str]:
    """Return the grant and the path (below the repository) behind a subject."""
    number = subject.key.rsplit("-", 1)[-1]
    match subject.kind:
        case ReportKind.REPOSITORY_ADVISORY:
            return ADVISORIES, f"/security-advisories/{subject.key}"
        case ReportKind.DEPENDABOT_ALERT:
            return DEPENDABOT, f"/dependabot/alerts/{number}"
        case ReportKind.CODE_SCANNING_ALERT:
            return CODE_SCANNING, f"/code-scanning/alerts/{number}"
        case ReportKind.ISSUE | ReportKind.PULL_REQUEST:
            return READ, f"/issues/{subject.number or number}"
    raise GitHubError(f"a {subject.kind} has no report of its own", status=None, retryable=False)


def as_report(subject: Subject, record: dict[str, Any]) -> Report:
    """Return the report in the JSON behind a subject; raises ``agent.errors.ReportError``."""
    match subject.kind:
        case ReportKind.REPOSITORY_ADVISORY:
            return report_from_github_advisory(record)
        case ReportKind.DEPENDABOT_ALERT:
            return _dependabot(subject, record)
        case ReportKind.CODE_SCANNING_ALERT:
            return _code_scanning(subject, record)
        case _:
            return report_from_github_issue(record)


def is_open(subject: Subject, record: dict[str, Any]) -> bool:
    """Tell whether what a subject reports still waits for an answer: not closed, dismissed or withdrawn."""
    if subject.kind is ReportKind.REPOSITORY_ADVISORY:
        return record.get("state") != "closed" and not record.get("withdrawn_at")
    return record.get("state") == "open"


def _dependabot(subject: Subject, alert: dict[str, Any]) -> Report:
    advisory = {**alert["security_advisory"], "vulnerabilities": [alert["security_vulnerability"]]}
    report = report_from_github_advisory(advisory)
    dependency = alert["dependency"]
    package = dependency["package"]
    where = f"Dependency: `{package['name']}` ({package['ecosystem']}), `{dependency['manifest_path']}`"
    return replace(
        report,
        id=subject.key,
        aliases=tuple(dict.fromkeys((report.id, *report.aliases))),
        body=f"{where}\n\n{report.body}",
        references=tuple(dict.fromkeys((alert["html_url"], *report.references))),
    )


def _code_scanning(subject: Subject, alert: dict[str, Any]) -> Report:
    rule, instance = alert["rule"], alert["most_recent_instance"]
    location = instance.get("location", {})
    weaknesses = [match[1] for tag in rule.get("tags") or [] if (match := CWE_TAG.match(tag))]
    paragraphs = [
        (instance.get("message") or {}).get("text", ""),
        f"Place: `{location.get('path', '')}` line {location.get('start_line', '?')}",
        rule.get("full_description") or "",
        rule.get("help") or "",
    ]
    advisory = {
        "ghsa_id": subject.key,
        "summary": rule.get("description") or rule.get("name") or rule.get("id"),
        "description": "\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        "severity": rule.get("security_severity_level"),
        "cwe_ids": [f"CWE-{number}" for number in weaknesses],
        "published_at": alert["created_at"],
        "references": [alert["html_url"]],
    }
    return report_from_github_advisory(advisory)
