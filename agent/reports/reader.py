"""Read a report in any of the forms it comes in.

Forms: Markdown with optional YAML front matter; an OSV record (https://ossf.github.io/osv-schema/); a GitHub
advisory (global or of a repository) or a GitHub issue, as the REST API gives them.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from agent.domain.report import Report, Visibility
from agent.errors import ReportError
from agent.reports import facts
from agent.reports.forms import FrontMatter, GitHubAdvisory, GitHubIssue, OSVRecord
from agent.reports.front_matter import split_front_matter
from agent.reports.snippets import snippets_of
from agent.untrusted import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

MAXIMUM_BYTES = 1_000_000
"""A report beyond this is refused: the longest real advisories are below 100 kB."""

_ModelT = TypeVar("_ModelT", bound=BaseModel)
_LISTS = frozenset({"affected", "fixed", "references"})
_LONGEST, _MOST = 500, 200
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$")


def read_report(content: bytes | str, *, name: str = "the report") -> Report:
    """Return the report in ``content``; raise ``ReportError`` with one line that says what to do."""
    text = _decode(content, name)
    if text.lstrip().startswith(("{", "[")):
        record = _json(text, name)
        if record is not None:
            return _from_record(record, name)
    return _from_markdown(text, name)


def report_from_osv(record: object) -> Report:
    """Return the report of an OSV record."""
    osv = _checked(OSVRecord, record, "OSV record")
    ranges = [event for affected in osv.affected for span in affected.ranges for event in span.events]
    return _report(
        id=osv.id,
        aliases=tuple(osv.aliases),
        title=osv.summary or facts.first_line(osv.details),
        body=osv.details or osv.summary,
        cwes=facts.cwes(osv.database_specific.get("cwe_ids"), ""),
        severity=facts.severity(osv.database_specific.get("severity")),
        visibility=Visibility.PUBLIC,
        affected=tuple(facts.unique(v for affected in osv.affected for v in affected.versions)),
        fixed=tuple(facts.unique(event["fixed"] for event in ranges if "fixed" in event)),
        published=facts.as_date(osv.published),
        references=tuple(reference.url for reference in osv.references),
    )


def report_from_github_advisory(record: object) -> Report:
    """Return the report of a GitHub advisory; all but published ones are private."""
    advisory = _checked(GitHubAdvisory, record, "GitHub advisory")
    public = advisory.state in {"", "published"} and advisory.type != "unreviewed-private"
    return _report(
        id=advisory.ghsa_id or advisory.cve_id or "advisory",
        aliases=tuple(facts.unique([advisory.cve_id, *(item.value for item in advisory.identifiers)])),
        title=advisory.summary or facts.first_line(advisory.description),
        body=advisory.description or advisory.summary,
        cwes=facts.cwes([cwe.cwe_id for cwe in advisory.cwes] or advisory.cwe_ids, ""),
        severity=facts.severity(advisory.severity),
        visibility=Visibility.PUBLIC if public else Visibility.PRIVATE,
        affected=tuple(facts.unique(v.vulnerable_version_range for v in advisory.vulnerabilities)),
        fixed=tuple(facts.unique(v.fixed for v in advisory.vulnerabilities)),
        published=facts.as_date(advisory.published_at),
        references=tuple(facts.unique(advisory.reference_urls)),
    )


def report_from_github_issue(record: object) -> Report:
    """Return the report of a GitHub issue (or of a pull request seen as one)."""
    issue = _checked(GitHubIssue, record, "GitHub issue")
    body = issue.body or ""
    return _report(
        id=f"issue-{issue.number}",
        aliases=facts.identifiers(f"{issue.title}\n{body}"),
        title=issue.title,
        body=body or issue.title,
        cwes=facts.cwes(None, f"{issue.title}\n{body}\n{' '.join(issue.label_names)}"),
        severity=facts.severity_of_labels(issue.label_names),
        visibility=Visibility.PUBLIC,
        published=facts.as_date(issue.created_at),
        references=(issue.html_url,) if issue.html_url else (),
    )


def _decode(content: bytes | str, name: str) -> str:
    if len(content) > MAXIMUM_BYTES:
        raise ReportError(
            f"{name} is larger than {MAXIMUM_BYTES // 1_000_000} MB; cut it to the description and the code."
        )
    if isinstance(content, bytes):
        if b"\x00" in content and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise ReportError(f"{name} is a binary file; give Markdown or JSON text.")
        encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
        try:
            content = content.decode(encoding)
        except UnicodeDecodeError as error:
            raise ReportError(f"{name} is not UTF-8 text (byte {error.start}); convert it first.") from None
    if not content.strip():
        raise ReportError(f"{name} is empty; describe the flaw, or give an OSV or GitHub advisory.")
    return content


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if text.lstrip().startswith("{"):
            raise ReportError(
                f"{name} looks like JSON but is not: {error.msg}, line {error.lineno}."
            ) from None
        return None
    except RecursionError:
        raise ReportError(f"{name} is nested too deeply to be a report.") from None
    except ValueError:  # a number of thousands of digits
        raise ReportError(f"{name} holds a number that is too long to be meant.") from None


def _from_record(record: Any, name: str) -> Report:
    if not isinstance(record, dict):
        raise ReportError(f"{name} must hold one record; it holds a list. Give one advisory or issue.")
    if "ghsa_id" in record or "cve_id" in record:
        return report_from_github_advisory(record)
    if "number" in record and "title" in record:
        return report_from_github_issue(record)
    if "id" in record and ("details" in record or "summary" in record):
        return report_from_osv(record)
    raise ReportError(f"{name} is JSON, but no OSV record, GitHub advisory or GitHub issue.")


def _from_markdown(text: str, name: str) -> Report:
    front, body = split_front_matter(text, name)
    matter = _checked(FrontMatter, front, f"front matter of {name}")
    if not body.strip():
        raise ReportError(f"{name} has front matter but no text; describe the flaw below it.")
    title = matter.title or facts.first_line(body)
    return _report(
        id=matter.id or (facts.identifiers(body) or ("report",))[0],
        aliases=tuple(facts.unique([*matter.aliases, *facts.identifiers(body)])),
        title=title,
        body=body,
        cwes=facts.cwes(matter.cwe, body),
        severity=facts.severity(matter.severity),
        visibility=Visibility(matter.visibility),
        affected=tuple(matter.affected),
        fixed=tuple(matter.fixed),
        published=matter.published,
        references=tuple(facts.unique([*matter.references, *facts.links(body)])),
    )


def _report(*, id: str, title: str, body: str, aliases: tuple[str, ...] = (), **fields: Any) -> Report:  # noqa: A002 (the field's name)
    cleaned_title, cleaned = clean(title), clean(body)
    if not cleaned.text.strip():
        raise ReportError("the report has no visible text; describe the flaw.")
    heading = _HEADING.match(cleaned_title.text)
    fields |= {name: _lines(fields[name]) for name in _LISTS & fields.keys()}
    return Report(
        id=facts.safe_id(clean(id).text),
        title=(heading.group(1) if heading else cleaned_title.text).strip()[:300],
        body=cleaned.text,
        aliases=tuple(alias for alias in _lines(aliases) if alias != id),
        snippets=snippets_of(cleaned.text),
        notices=tuple(facts.unique([*cleaned_title.notices, *cleaned.notices])),
        **fields,
    )


def _lines(values: Iterable[str]) -> tuple[str, ...]:
    """Return short texts of a record as single visible lines: ids, versions and links, never paragraphs."""
    lines = (" ".join(clean(value[:_LONGEST]).text.split()) for value in islice(values, _MOST))
    return tuple(facts.unique(lines))


def _checked(model: type[_ModelT], record: object, what: str) -> _ModelT:
    try:
        return model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        raise ReportError(f"the {what} cannot be read: {where}: {first['msg']}.") from None
