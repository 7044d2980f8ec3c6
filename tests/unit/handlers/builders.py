"""Payloads as an App receives them, cut down to what is read; builders take what a test changes."""

from __future__ import annotations

from typing import Any

from handlers.triggers import TriggerConfig

Payload = dict[str, Any]

APP_ID = 4711
SLUG = "suture"
SHA = "0123456789abcdef0123456789abcdef01234567"
LATER = "f" * 40
GHSA = "GHSA-2345-cfgh-jmpq"


def build_config(**changes: Any) -> TriggerConfig:
    return TriggerConfig(**{"app_id": APP_ID, "app_slug": SLUG, **changes})


def build_user(login: str = "maintainer", number: int = 7, kind: str = "User") -> Payload:
    return {"login": login, "id": number, "type": kind}


def build_ourselves() -> Payload:
    return build_user("suture[bot]", 99, "Bot")


def build_repository(**changes: Any) -> Payload:
    return {
        "id": 1,
        "full_name": "octo/demo",
        "private": False,
        "default_branch": "main",
        "archived": False,
        "fork": False,
        **changes,
    }


def build_envelope(action: str, **parts: Any) -> Payload:
    return {
        "action": action,
        "repository": build_repository(),
        "sender": build_user(),
        "installation": {"id": 5},
        **parts,
    }


def build_issue(**changes: Any) -> Payload:
    return {
        "number": 12,
        "title": "Path traversal in the archive reader",
        "body": "`extract` follows `../`.",
        "state": "open",
        "labels": [{"name": "security"}],
        "user": build_user("reporter", 8),
        "html_url": "https://github.com/octo/demo/issues/12",
        "created_at": "2026-11-30T08:00:00Z",
        **changes,
    }


def build_issue_event(action: str = "labeled", label: str = "security", **changes: Any) -> Payload:
    parts = {"label": {"name": label}} if action == "labeled" else {}
    return build_envelope(action, issue=build_issue(**changes), **parts)


def build_comment_event(body: str | None = "/patch", *, action: str = "created", **changes: Any) -> Payload:
    issue = build_issue(**changes.pop("issue", {}))
    comment = {"id": 77, "body": body, "user": build_user(), **changes.pop("comment", {})}
    return {**build_envelope(action, issue=issue, comment=comment), **changes}


def build_pull(**changes: Any) -> Payload:
    return {
        "number": 30,
        "state": "open",
        "merged": False,
        "user": build_ourselves(),
        "head": {"ref": "suture/issue-12-1", "sha": SHA, "repo": {"id": 1}},
        "base": {"ref": "main", "sha": LATER, "repo": {"id": 1}},
        **changes,
    }


def build_pull_event(action: str, **changes: Any) -> Payload:
    return build_envelope(action, pull_request=build_pull(**changes))


def build_review_event(
    body: str | None = "The check comes too late.", state: str = "changes_requested", **changes: Any
) -> Payload:
    review = {"id": 501, "state": state, "body": body}
    return build_envelope("submitted", review=review, pull_request=build_pull(**changes))


def build_check(**changes: Any) -> Payload:
    return {
        "name": "unit tests",
        "head_sha": SHA,
        "conclusion": "failure",
        "external_id": "",
        "app": {"id": 1, "slug": "github-actions"},
        "check_suite": {"head_branch": "suture/issue-12-1"},
        "pull_requests": [{"number": 30}],
        "output": {"title": "1 failed", "summary": "test_extract"},
        **changes,
    }


def build_check_event(action: str = "completed", **changes: Any) -> Payload:
    return build_envelope(action, check_run=build_check(**changes))


def build_button(identifier: str, **changes: Any) -> Payload:
    own = {"app": {"id": APP_ID}, "external_id": "run-1", "conclusion": None, **changes}
    payload = build_check_event("requested_action", **own)
    return {**payload, "requested_action": {"identifier": identifier}}


def build_suite_event(action: str = "completed", **changes: Any) -> Payload:
    suite = {
        "head_branch": "suture/issue-12-1",
        "head_sha": SHA,
        "conclusion": "failure",
        "app": {"id": 1},
        "pull_requests": [{"number": 30}],
        **changes,
    }
    return build_envelope(action, check_suite=suite)


def build_push(ref: str = "refs/heads/main", **changes: Any) -> Payload:
    commit = {"added": [], "removed": [], "modified": ["src/app.py"]}
    envelope = build_envelope("", ref=ref, after=SHA, commits=[commit])
    del envelope["action"]
    return {**envelope, **changes}


def build_advisory(**changes: Any) -> Payload:
    """Return a repository advisory with every key that GitHub's schema requires."""
    return {
        "ghsa_id": GHSA,
        "cve_id": None,
        "url": f"https://api.github.com/repos/octo/demo/security-advisories/{GHSA}",
        "html_url": f"https://github.com/octo/demo/security/advisories/{GHSA}",
        "summary": "Zip slip in extract()",
        "description": "`extract` writes outside its folder.",
        "severity": "high",
        "author": None,
        "publisher": None,
        "identifiers": [{"type": "GHSA", "value": GHSA}],
        "state": "triage",
        "created_at": "2026-11-30T08:00:00Z",
        "updated_at": "2026-11-30T08:00:00Z",
        "published_at": None,
        "closed_at": None,
        "withdrawn_at": None,
        "submission": {"accepted": False},
        "vulnerabilities": [
            {
                "package": {"ecosystem": "pip", "name": "demo"},
                "vulnerable_version_range": "< 1.2",
                "patched_versions": None,
                "vulnerable_functions": ["demo.extract"],
            }
        ],
        "cvss": {"vector_string": None, "score": None},
        "cwes": [{"cwe_id": "CWE-22", "name": "Path Traversal"}],
        "cwe_ids": ["CWE-22"],
        "credits": [],
        "credits_detailed": [],
        "collaborating_users": [],
        "collaborating_teams": [],
        "private_fork": None,
        **changes,
    }


def build_advisory_event(action: str = "reported", **changes: Any) -> Payload:
    return build_envelope(action, repository_advisory=build_advisory(**changes))


def build_global_advisory_event(action: str = "published", **changes: Any) -> Payload:
    package = {"ecosystem": "pip", "name": "demo"}
    return {
        "action": action,
        "security_advisory": {
            "ghsa_id": GHSA,
            "summary": "Zip slip in extract()",
            "description": "`extract` writes outside its folder.",
            "severity": "moderate",
            "identifiers": [{"type": "CVE", "value": "CVE-2026-1234"}],
            "vulnerabilities": [
                {"package": package, "vulnerable_version_range": "< 1.2"},
                {"package": package, "vulnerable_version_range": ">= 2, < 2.1"},
            ],
            **changes,
        },
    }


def build_dependabot_event(action: str = "created", severity: str = "high", state: str = "open") -> Payload:
    alert = {"number": 3, "state": state, "security_vulnerability": {"severity": severity}}
    return build_envelope(action, alert=alert)


def build_scanning_event(
    action: str = "created", severity: str | None = "high", ref: str | None = "refs/heads/main"
) -> Payload:
    alert = {"number": 4, "rule": {"id": "py/path-injection", "security_severity_level": severity}}
    return build_envelope(action, alert=alert, ref=ref)


def build_installation_event(action: str = "created", **changes: Any) -> Payload:
    short = {"id": 1, "full_name": "octo/demo", "private": False}
    return {
        "action": action,
        "installation": {"id": 5, "account": build_user("octo", 3, "Organization")},
        "repositories": [short],
        **changes,
    }


def build_repositories_event(action: str = "added", **changes: Any) -> Payload:
    short = {"id": 2, "full_name": "octo/other", "private": True}
    return {
        "action": action,
        "installation": {"id": 5, "account": build_user("octo", 3, "Organization")},
        "repositories_added": [short] if action == "added" else [],
        "repositories_removed": [short] if action == "removed" else [],
        **changes,
    }


EVERY_EVENT: dict[str, Payload] = {
    "issues": build_issue_event(),
    "issue_comment": build_comment_event(),
    "repository_advisory": build_advisory_event(),
    "security_advisory": build_global_advisory_event(),
    "dependabot_alert": build_dependabot_event(),
    "code_scanning_alert": build_scanning_event(),
    "pull_request": build_pull_event("closed"),
    "pull_request_review": build_review_event(),
    "pull_request_review_comment": build_envelope(
        "created", comment={"id": 88, "body": "/patch stop"}, pull_request=build_pull()
    ),
    "check_run": build_check_event(),
    "check_suite": build_suite_event(),
    "push": build_push(),
    "installation": build_installation_event(),
    "installation_repositories": build_repositories_event(),
}
"""One payload of an event that leads to an intent (with both alert triggers on); see ``webhooks.sample``."""
