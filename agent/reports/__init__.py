"""Reports as they come in: Markdown with front matter, OSV, GitHub advisories and issues."""

from __future__ import annotations

from agent.reports.reader import (
    MAXIMUM_BYTES,
    read_report,
    report_from_github_advisory,
    report_from_github_issue,
    report_from_osv,
)

__all__ = [
    "MAXIMUM_BYTES",
    "read_report",
    "report_from_github_advisory",
    "report_from_github_issue",
    "report_from_osv",
]
