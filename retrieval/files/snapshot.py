"""A tree made ready to be asked: its files by kind, and the past that speaks for them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.files.corpus import Corpus
from retrieval.files.history import History, Log
from retrieval.files.kinds import FileKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.files.document import Document
    from retrieval.files.issues import IssueMemory


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """Documents by path and their past; ``notes`` say what was missing."""

    documents: Mapping[str, Document]
    log: Log = field(default_factory=Log)
    now: int = 0
    memory: IssueMemory | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def corpora(self) -> Mapping[FileKind, Corpus]:
        """Return the files of each kind."""
        paths: dict[FileKind, list[str]] = {kind: [] for kind in FileKind}
        for path, document in self.documents.items():
            kind = kind_of(path)
            generated = kind is FileKind.SOURCE and document.generated
            paths[FileKind.GENERATED if generated else kind].append(path)
        return {kind: Corpus(some, [self.documents[path] for path in some]) for kind, some in paths.items()}

    @cached_property
    def histories(self) -> Mapping[FileKind, History]:
        """Return the past of the files of each kind."""
        return {kind: History(self.log, corpus.at, self.now) for kind, corpus in self.corpora.items()}

    @cached_property
    def whole(self) -> Corpus:
        """Return all files as one corpus."""
        return Corpus(list(self.documents), list(self.documents.values()))

    @cached_property
    def whole_history(self) -> History:
        """Return the past of all files."""
        return History(self.log, self.whole.at, self.now)
