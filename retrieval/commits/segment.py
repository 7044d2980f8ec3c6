"""One immutable part of the index on disk: the columns of some commits and their inverted files.

Arrays are plain ``.npy`` files that are mapped into memory, so opening costs nothing and a query reads only the
postings of its own tokens. Tokens are cut to 64 bytes and sorted; a token is found by binary search.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.commits.document import NO_HASH, SKETCH, Field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from retrieval.commits.document import CommitDocument

ID = np.dtype("S64")
TOKEN = np.dtype("S64")
_MOST = 0xFFFF
_COLUMNS: Mapping[str, type[np.integer[Any]]] = {
    "authored": np.int64,
    "committed": np.int64,
    "kind": np.uint16,
    "lines": np.uint32,
    "files": np.uint32,
    "security_words": np.uint16,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Where some tokens occur in one field: per occurrence the token's place in the question, commit, count."""

    asked: NDArray[np.int64]
    commits: NDArray[np.int64]
    counts: NDArray[np.float64]


class SegmentBuilder:
    """Collects commits for one segment; holds their postings in compact arrays until they are written."""

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._documents: list[CommitDocument] = []
        self._postings = {field: (array("I"), array("I"), array("H")) for field in Field}
        self._lengths = {field: array("I") for field in Field}

    def __len__(self) -> int:
        return len(self._documents)

    def add(self, document: CommitDocument) -> None:
        """Add one commit; its terms are taken into the postings and let go."""
        number = len(self._documents)
        for field in Field:
            terms, (tokens, commits, counts) = document.terms[field], self._postings[field]
            for term, count in terms.items():
                tokens.append(self._vocabulary.setdefault(term, len(self._vocabulary)))
                commits.append(number)
                counts.append(min(count, _MOST))
            self._lengths[field].append(sum(terms.values()))
        self._documents.append(replace(document, terms={}))

    def write(self, folder: Path) -> None:
        """Write everything into ``folder``, which must not exist."""
        folder.mkdir(parents=True)
        self._write_columns(folder)
        words = np.array([term.encode()[: TOKEN.itemsize] for term in self._vocabulary], dtype=TOKEN)
        vocabulary, places = np.unique(words, return_inverse=True)
        np.save(folder / "vocabulary.npy", vocabulary)
        for field in Field:
            self._write_field(folder, field, places.astype(np.int64), len(vocabulary))

    def _write_columns(self, folder: Path) -> None:
        documents = self._documents
        np.save(folder / "ids.npy", np.array([document.id.encode() for document in documents], dtype=ID))
        for name, kind in _COLUMNS.items():
            column = np.array([getattr(document, name) for document in documents], dtype=np.int64)
            np.save(folder / f"{name}.npy", np.clip(column, *_bounds(kind)).astype(kind))
        sketches = np.full((len(documents), SKETCH), NO_HASH, dtype=np.uint32)
        for row, document in zip(sketches, documents, strict=True):
            row[: len(document.sketch)] = document.sketch
        np.save(folder / "sketches.npy", sketches)
        parents = [parent.encode() for document in documents for parent in document.parents]
        np.save(folder / "parents.npy", np.array(parents, dtype=ID))
        np.save(folder / "parent_counts.npy", np.array([len(document.parents) for document in documents]))
        subjects = [document.subject[:300] for document in documents]
        (folder / "subjects.json").write_text(json.dumps(subjects), encoding="utf-8")

    def _write_field(self, folder: Path, field: Field, places: NDArray[np.int64], size: int) -> None:
        tokens, commits, counts = (np.frombuffer(part, dtype=part.typecode) for part in self._postings[field])
        tokens = places[tokens] if len(tokens) else tokens.astype(np.int64)
        order = np.argsort(tokens, kind="stable")
        starts = np.searchsorted(tokens[order], np.arange(size + 1))
        np.save(folder / f"{field}.starts.npy", starts.astype(np.int64))
        np.save(folder / f"{field}.commits.npy", commits[order].astype(np.uint32))
        np.save(folder / f"{field}.counts.npy", counts[order].astype(np.uint16))
        lengths = np.frombuffer(self._lengths[field], dtype=np.uint32)
        np.save(folder / f"{field}.lengths.npy", lengths)


class Segment:
    """A segment on disk, read only; raise ``OSError`` or ``ValueError`` when it is not whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _names()
        }
        self.ids: NDArray[np.bytes_] = self._arrays["ids"]

    def __len__(self) -> int:
        return len(self.ids)

    def column(self, name: str) -> NDArray[np.int64]:
        """Return one of the columns of facts, in the order of ``ids``."""
        return self._array(name)

    @cached_property
    def subjects(self) -> list[str]:
        """Return the first lines of the messages."""
        return list(json.loads((self.folder / "subjects.json").read_text(encoding="utf-8")))

    @cached_property
    def vocabulary(self) -> NDArray[np.bytes_]:
        """Return the tokens of all fields, sorted."""
        return self._array("vocabulary")

    def lengths(self, field: Field) -> NDArray[np.int64]:
        """Return how many tokens each commit has in a field."""
        return self._array(f"{field}.lengths")

    def postings(self, field: Field, tokens: Sequence[str]) -> Postings:
        """Return where the tokens occur; ``asked`` counts from 0 in ``tokens``."""
        wanted = np.array([token.encode()[: TOKEN.itemsize] for token in tokens], dtype=TOKEN)
        places = np.searchsorted(self.vocabulary, wanted)
        starts = self._array(f"{field}.starts")
        ranges = [
            (number, int(starts[place]), int(starts[place + 1]))
            for number, place in enumerate(places)
            if place < len(self.vocabulary) and self.vocabulary[place] == wanted[number]
        ]
        return self._gathered(field, [found for found in ranges if found[1] < found[2]])

    def _gathered(self, field: Field, ranges: Sequence[tuple[int, int, int]]) -> Postings:
        commits, counts = self._array(f"{field}.commits"), self._array(f"{field}.counts")
        nothing = np.zeros(0, dtype=np.int64)
        return Postings(
            asked=np.concatenate([nothing, *(np.full(end - at, number) for number, at, end in ranges)]),
            commits=np.concatenate([nothing, *(commits[at:end] for _, at, end in ranges)]),
            counts=np.concatenate([nothing, *(counts[at:end] for _, at, end in ranges)]).astype(np.float64),
        )

    def tokens(self, prefix: str) -> list[str]:
        """Return the tokens that begin with ``prefix``."""
        first, last = np.searchsorted(
            self.vocabulary, np.array([prefix.encode(), prefix.encode() + b"\xff"], dtype=TOKEN)
        )
        return [bytes(token).decode("utf-8", "replace") for token in self.vocabulary[first:last]]

    def _array(self, name: str) -> NDArray[Any]:
        return self._arrays[name]


def _names() -> tuple[str, ...]:
    parts = ("starts", "commits", "counts", "lengths")
    fields = (f"{field}.{part}" for field in Field for part in parts)
    return ("ids", "vocabulary", "sketches", "parents", "parent_counts", *_COLUMNS, *fields)


def _bounds(kind: type[np.integer[Any]]) -> tuple[int, int]:
    limits = np.iinfo(kind)
    return int(limits.min), int(limits.max)
