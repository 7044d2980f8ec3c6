"""Builders for the values of ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.domain import FileQuery, PastIssue
from retrieval.files.bags import pack
from retrieval.files.corpus import Corpus
from retrieval.files.document import document
from retrieval.files.history import Log, PastChange
from retrieval.files.past import words_of
from retrieval.files.query import ParsedQuery, parse
from retrieval.files.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DAY = 86_400
NOW = 1_000 * DAY


def build_corpus(files: Mapping[str, str]) -> Corpus:
    return Corpus(list(files), [document(path, text) for path, text in files.items()])


def build_query(title: str, body: str = "") -> ParsedQuery:
    return parse(FileQuery(title=title, body=body))


def build_log(*changes: tuple[str, tuple[str, ...]], ages: Sequence[float] = (), now: int = NOW) -> Log:
    """Return a log, newest first, of messages with their files; ages in days."""
    made = [
        PastChange(
            id=f"c{number}",
            time=int(now - (ages[number] if ages else 0.0) * DAY),
            subject=message.partition("\n")[0],
            paths=paths,
            fixes="fix" in message.lower(),
        )
        for number, (message, paths) in enumerate(changes)
    ]
    return Log(made, pack([words_of(message) for message, _ in changes]))


def build_issue(identity: str, title: str, *files: str, time: int = 1) -> PastIssue:
    return PastIssue(id=identity, title=title, body="", files=files, time=time)


def build_snapshot(files: Mapping[str, str], log: Log | None = None) -> Snapshot:
    documents = {path: document(path, text) for path, text in files.items()}
    return Snapshot(documents=documents, log=log or Log(), now=NOW)
