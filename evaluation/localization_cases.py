"""Cases of file localization: a report, a repository at a commit, and the files that the fix changed."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from evaluation.errors import EvaluationError
from retrieval.domain import FileQuery, PastIssue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_FIELDS = frozenset({"instance_id", "repo", "base_commit", "problem_statement", "gold_files"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalizationCase:
    """One report; ``files`` are what its fix changed, ``commit`` the parent of the fix."""

    id: str
    repository: str
    commit: str
    query: FileQuery
    files: tuple[str, ...]


def read_cases(path: Path) -> tuple[LocalizationCase, ...]:
    """Return the cases of a JSON Lines file in SWE-bench's field names; raise ``EvaluationError``."""
    return tuple(
        LocalizationCase(
            id=str(row["instance_id"]),
            repository=str(row["repo"]),
            commit=str(row["base_commit"]),
            query=split_report(str(row["problem_statement"])),
            files=tuple(row["gold_files"]),
        )
        for row in _rows(path)
    )


def read_past(path: Path) -> Mapping[str, tuple[PastIssue, ...]]:
    """Return repository -> past issues; an issue counts as closed at its base commit's date."""
    found: dict[str, list[PastIssue]] = {}
    for row in _rows(path):
        query = split_report(str(row["problem_statement"]))
        issue = PastIssue(
            id=str(row["instance_id"]),
            title=query.title,
            body=query.body,
            files=tuple(row["gold_files"]),
            time=int(row["base_commit_date"]),
        )
        found.setdefault(str(row["repo"]), []).append(issue)
    return {name: tuple(issues) for name, issues in found.items()}


def split_report(text: str) -> FileQuery:
    """Return the first line as the title and the rest as the body."""
    title, _, body = text.strip().partition("\n")
    return FileQuery(title=title.lstrip("#").strip(), body=body)


def repository_path(folder: Path, name: str, aliases: Mapping[str, str]) -> Path:
    """Return the git directory of ``owner/name`` below ``folder``; raise ``EvaluationError`` naming what was tried."""
    real = aliases.get(name, name)
    joined = real.replace("/", "+")
    tried = [folder / real, folder / f"{real}.git", folder / joined / "repo", folder / joined]
    for path in tried:
        if path.is_dir():
            return path
    raise EvaluationError(
        f"{real} is not in {folder}; tried {', '.join(str(path.relative_to(folder)) for path in tried)}"
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _row(path, number, line)
    except (OSError, EOFError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error


def _row(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row: dict[str, Any] = json.loads(line)
        missing = sorted(_FIELDS - row.keys())
    except (ValueError, AttributeError) as error:
        raise EvaluationError(f"{path}, line {number}: not a JSON object") from error
    if missing:
        raise EvaluationError(f"{path}, line {number}: no {', '.join(missing)}")
    return row


def _opened(path: Path) -> IO[str]:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
