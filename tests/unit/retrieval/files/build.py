"""Builders for the values of ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.domain import FileQuery, PastIssue
from retrieval.files.corpus import Corpus
from retrieval.files.document import document
from retrieval.files.history import PastChange
from retrieval.files.past import words_of
from retrieval.files.query import ParsedQuery, parse
from retrieval.files.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DAY = 86_400


def build_corpus(files: Mapping[str, str]) -> Corpus:
    return Corpus(list(files), [document(path, text) for path, text in files.items()])


def build_query(title: str, body: str = "") -> ParsedQuery:
    return parse(FileQuery(title=title, body=body))


def build_change(
    message: str,
    *paths: str,
    identity: str = "c",
    age: float = 0.0,
    now: int = 1_000 * DAY,
    fixes: bool = False,
) -> PastChange:
    return PastChange(
        id=identity,
        time=int(now - age * DAY),
        subject=message.partition("\n")[0],
        words=words_of(message),
        paths=paths,
        fixes=fixes,
    )


def build_issue(identity: str, title: str, *files: str, time: int = 1) -> PastIssue:
    return PastIssue(id=identity, title=title, body="", files=files, time=time)


def build_snapshot(files: Mapping[str, str], changes: Sequence[PastChange] = ()) -> Snapshot:
    documents = {path: document(path, text) for path, text in files.items()}
    return Snapshot(documents=documents, changes=changes, now=1_000 * DAY)
