"""A commit as the index keeps it: tokens per field and the facts that ranking asks for. Pure."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from dataclasses import dataclass
from enum import IntFlag, StrEnum
from typing import TYPE_CHECKING

from retrieval.commits.mentions import advisory_ids, cited_commits, issue_numbers
from retrieval.commits.words import security_words
from retrieval.tokens import token_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retrieval.commits.domain import CommitPatch

SKETCH = 16
"""Hashes kept of a commit's changed lines, the smallest ones: two sketches tell how alike two patches are."""

NO_HASH = 0xFFFF_FFFF
MESSAGE_CHARACTERS = 8_000
PATHS = 200


class Field(StrEnum):
    """What can be searched. The last two hold names rather than words."""

    MESSAGE = "message"
    PATHS = "paths"
    DIFF = "diff"
    SECTIONS = "sections"
    DOCUMENT = "document"
    MENTIONS = "mentions"
    NAMES = "names"


class Kind(IntFlag):
    """What sort of change a commit is, by its paths and its subject."""

    DOCS_ONLY = 1
    TESTS_ONLY = 2
    WITH_TESTS = 4
    WITH_CHANGELOG = 8
    EMPTY = 16
    REVERT = 32
    BUMP = 64
    RELEASE = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitDocument:
    """A commit ready for the index. ``sketch`` is sorted and has at most ``SKETCH`` hashes."""

    id: str
    parents: tuple[str, ...]
    authored: int
    committed: int
    subject: str
    kind: Kind
    lines: int
    files: int
    security_words: int
    sketch: tuple[int, ...]
    terms: Mapping[Field, Counter[str]]


_DOCS = re.compile(
    r"(^|/)(docs?|documentation|changes?|changelog|news|history|readme|authors|contributors|newsfragments?"
    r"|topfiles)([/._-]|$)|\.(rst|md|txt|html)$",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__|fuzz\w*)(/|$)|(^|[/_.-])(test|spec)s?[_.-]|_test\.|test_",
    re.IGNORECASE,
)
_CHANGELOG = re.compile(
    r"(^|/)(changes?|changelog|news|history|whatsnew|newsfragments?|topfiles|release)[^/]*($|/)",
    re.IGNORECASE,
)
_BUMP = re.compile(
    r"^\W*(bump|update|upgrade|build\(deps|chore\(deps)|\[pre-commit|pre-commit", re.IGNORECASE
)
_RELEASE = re.compile(
    r"^\W*(release|version|prepar\w+|news|v?\d+\.\d+[\d.]*\S*$|set version|back to dev|post.release|tag)"
    r"|changelog|release notes",
    re.IGNORECASE,
)


def document_of(commit: CommitPatch) -> CommitDocument:
    """Return what the index keeps of a commit."""
    paths = [change.path for change in commit.changes]
    return CommitDocument(
        id=commit.id,
        parents=commit.parents,
        authored=commit.authored,
        committed=commit.committed,
        subject=commit.subject,
        kind=kind_of(commit.subject, paths),
        lines=sum((change.added or 0) + (change.deleted or 0) for change in commit.changes),
        files=len(paths),
        security_words=security_words(commit.message[:MESSAGE_CHARACTERS]),
        sketch=sketch_of(commit.lines),
        terms=_terms(commit, paths),
    )


def kind_of(subject: str, paths: Sequence[str]) -> Kind:
    """Return what sort of change it is; a test under ``docs/`` counts as a test."""
    tests = [bool(_TESTS.search(path)) for path in paths]
    docs = [bool(_DOCS.search(path)) for path in paths]
    aside = [one or other for one, other in zip(tests, docs, strict=True)]
    source = not all(aside)
    found = Kind(0) if paths else Kind.EMPTY
    found |= _when(Kind.DOCS_ONLY, bool(paths) and all(aside) and not any(tests))
    found |= _when(Kind.TESTS_ONLY, bool(paths) and all(tests))
    found |= _when(Kind.WITH_TESTS, source and any(tests))
    found |= _when(Kind.WITH_CHANGELOG, source and any(map(_CHANGELOG.search, paths)))
    found |= _when(Kind.REVERT, subject.lower().startswith("revert"))
    found |= _when(Kind.BUMP, bool(_BUMP.search(subject)))
    return found | _when(Kind.RELEASE, bool(_RELEASE.search(subject)))


def sketch_of(lines: Iterable[str]) -> tuple[int, ...]:
    """Return the smallest hashes of the changed lines; whitespace and order do not count."""
    hashes = {zlib.crc32("".join(line.split()).encode()) for line in lines if len(line) > 1}
    return tuple(sorted(hashes - {NO_HASH})[:SKETCH])


def _terms(commit: CommitPatch, paths: Sequence[str]) -> dict[Field, Counter[str]]:
    message = token_counts(commit.message[:MESSAGE_CHARACTERS])
    path = token_counts("\n".join(paths[:PATHS]))
    diff = token_counts("\n".join(line[1:] for line in commit.lines))
    sections = token_counts("\n".join(commit.sections))
    return {
        Field.MESSAGE: message,
        Field.PATHS: path,
        Field.DIFF: diff,
        Field.SECTIONS: sections,
        Field.DOCUMENT: message + path + diff + sections,
        Field.MENTIONS: Counter(_mentions(commit.message)),
        Field.NAMES: Counter(_names(paths[:PATHS])),
    }


def _mentions(message: str) -> Iterable[str]:
    """Return issue numbers as ``#12``, advisories by id and cited commits as ``~`` and seven digits."""
    yield from (f"#{number}" for number in issue_numbers(message))
    yield from advisory_ids(message)
    yield from (f"~{commit}" for commit in cited_commits(message))


def _names(paths: Iterable[str]) -> set[str]:
    names = {path.rsplit("/", 1)[-1].lower() for path in paths}
    return names | {name.split(".", 1)[0] for name in names}


def _when(kind: Kind, condition: bool) -> Kind:  # noqa: FBT001 - a flag, or none
    return kind if condition else Kind(0)
