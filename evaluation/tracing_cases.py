"""Advisories with the commits that are known to have fixed them, from a table."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from evaluation.errors import EvaluationError
from retrieval.commits.domain import AdvisoryQuery

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COLUMNS = ("advisory", "repo", "published", "fixed_versions", "ids", "description", "links", "fix_commits")
_PLACES = ("{owner}+{name}/repo", "{owner}+{name}", "{owner}/{name}", "{owner}__{name}", "{name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TracingCase:
    """An advisory of a repository and the ids of the commits recorded as its fix."""

    advisory: str
    repository: str
    query: AdvisoryQuery
    fixes: tuple[str, ...]


def read_cases(path: Path) -> tuple[TracingCase, ...]:
    """Read the table; raise ``EvaluationError`` with line and column for what is wrong."""
    csv.field_size_limit(1 << 24)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise EvaluationError(f"{path.name} has no column {', '.join(missing)}.")
            return tuple(_case(row, f"{path.name} line {reader.line_num}") for row in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise EvaluationError(f"cannot read {path.name}: {error}.") from error


def find_repository(folder: Path, repository: str) -> Path:
    """Return where a repository lies below ``folder``; raise ``EvaluationError`` when it does not."""
    owner, _, name = repository.partition("/")
    for place in _PLACES:
        for ending in ("", ".git"):
            path = folder / (place.format(owner=owner, name=name) + ending)
            if (path / ".git").exists() or (path / "objects").is_dir():
                return path
    raise EvaluationError(f"{repository} is not in {folder.name}: clone it to {owner}/{name} there.")


def _case(row: Mapping[str, str | None], where: str) -> TracingCase:
    text = {name: row[name] or "" for name in COLUMNS}
    if not text["fix_commits"]:
        raise EvaluationError(f"{where} names no fix commit.")
    try:
        published = date.fromisoformat(text["published"]) if text["published"] else None
    except ValueError:
        raise EvaluationError(f"{where}: published is no date such as 2024-05-31.") from None
    query = AdvisoryQuery(
        text=text["description"],
        ids=_parts(text["ids"]),
        published=published,
        fixed=_parts(text["fixed_versions"]),
        links=_parts(text["links"]),
    )
    return TracingCase(
        advisory=text["advisory"], repository=text["repo"], query=query, fixes=_parts(text["fix_commits"])
    )


def _parts(field: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in field.split("|") if part.strip())
