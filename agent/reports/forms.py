"""The shapes reports come in, as far as Suture reads them; unknown keys are ignored, null means absent."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


def _as_list(value: object) -> list[object]:
    """Let front matter and APIs give one value, a list, or null."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _as_strings(value: object) -> object:
    return [str(item) if isinstance(item, (int, float)) else item for item in _as_list(value)]


_Strings = Annotated[list[str], BeforeValidator(_as_strings)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class FrontMatter(_Form):
    """The YAML above a Markdown report."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: _Text = ""
    title: _Text = ""
    aliases: _Strings = []
    cwe: _Strings = []
    severity: _Text = ""
    visibility: Literal["public", "private"] = "public"
    affected: _Strings = []
    fixed: _Strings = []
    published: dt.date | None = None
    references: _Strings = []


class OSVRange(_Form):
    """Introduced and fixed events of one range."""

    events: list[dict[str, str]] = []


class OSVAffected(_Form):
    """What a record says of one package."""

    ranges: list[OSVRange] = []
    versions: list[str] = []


class OSVReference(_Form):
    """A link of a record."""

    url: str


class OSVRecord(_Form):
    """An OSV record."""

    id: str
    summary: _Text = ""
    details: _Text = ""
    aliases: _Strings = []
    published: dt.datetime | None = None
    affected: Annotated[list[OSVAffected], BeforeValidator(_as_list)] = []
    references: Annotated[list[OSVReference], BeforeValidator(_as_list)] = []
    database_specific: Annotated[dict[str, Any], BeforeValidator(lambda value: value or {})] = {}


class AdvisoryCWE(_Form):
    """A weakness of an advisory."""

    cwe_id: str


class AdvisoryIdentifier(_Form):
    """A further id of an advisory."""

    value: str


class AdvisoryVulnerability(_Form):
    """Versions of one package; the two APIs name the fixed ones differently."""

    vulnerable_version_range: str | None = None
    first_patched_version: str | dict[str, str] | None = None
    patched_versions: str | None = None

    @property
    def fixed(self) -> str:
        """Return the first version without the flaw."""
        first = self.first_patched_version
        if isinstance(first, dict):
            return first.get("identifier", "")
        return first or self.patched_versions or ""


class AdvisoryReference(_Form):
    """A link given as an object."""

    url: str


class GitHubAdvisory(_Form):
    """An advisory as the REST API or a webhook gives it."""

    ghsa_id: _Text = ""
    cve_id: _Text = ""
    summary: _Text = ""
    description: _Text = ""
    severity: _Text = ""
    state: _Text = ""
    type: _Text = ""
    published_at: dt.datetime | None = None
    cwes: Annotated[list[AdvisoryCWE], BeforeValidator(_as_list)] = []
    cwe_ids: _Strings = []
    identifiers: Annotated[list[AdvisoryIdentifier], BeforeValidator(_as_list)] = []
    vulnerabilities: Annotated[list[AdvisoryVulnerability], BeforeValidator(_as_list)] = []
    references: Annotated[list[str | AdvisoryReference], BeforeValidator(_as_list)] = []

    @property
    def reference_urls(self) -> list[str]:
        """Return the links in either form."""
        return [item if isinstance(item, str) else item.url for item in self.references]


class IssueLabel(_Form):
    """A label given as an object."""

    name: str


class GitHubIssue(_Form):
    """An issue as the REST API or a webhook gives it."""

    number: int
    title: str
    body: str | None = None
    html_url: _Text = ""
    created_at: dt.datetime | None = None
    labels: Annotated[list[str | IssueLabel], BeforeValidator(_as_list)] = Field(default=[])

    @property
    def label_names(self) -> list[str]:
        """Return the label names in either form."""
        return [item if isinstance(item, str) else item.name for item in self.labels]
