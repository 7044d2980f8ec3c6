"""How each kind of subject is named; a key is unique in its repository and fit for a branch name."""

from __future__ import annotations

from handlers.intents import ReportKind, Subject


def issue(number: int, *, comment_id: int | None = None) -> Subject:
    """Return the subject of an issue."""
    return Subject(kind=ReportKind.ISSUE, key=f"issue-{number}", number=number, comment_id=comment_id)


def pull(number: int, *, comment_id: int | None = None, review_comment_id: int | None = None) -> Subject:
    """Return the subject of a pull request."""
    return Subject(
        kind=ReportKind.PULL_REQUEST,
        key=f"pull-{number}",
        number=number,
        comment_id=comment_id,
        review_comment_id=review_comment_id,
    )


def advisory(ghsa_id: str) -> Subject:
    """Return the subject of a repository advisory; it has no public place."""
    return Subject(kind=ReportKind.REPOSITORY_ADVISORY, key=ghsa_id)


def dependabot_alert(number: int) -> Subject:
    """Return the subject of a Dependabot alert; it has no public place."""
    return Subject(kind=ReportKind.DEPENDABOT_ALERT, key=f"dependabot-{number}")


def code_scanning_alert(number: int) -> Subject:
    """Return the subject of a code scanning alert; it has no public place."""
    return Subject(kind=ReportKind.CODE_SCANNING_ALERT, key=f"code-scanning-{number}")


def run(run_id: str) -> Subject:
    """Return the subject of a run that a button of its check names."""
    return Subject(kind=ReportKind.RUN, key=run_id)
