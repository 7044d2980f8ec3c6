"""The files of one kind at one commit, ready to be asked. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from retrieval.files.bags import join, pack
from retrieval.files.document import bag_of
from retrieval.files.lexical import BM25Index
from retrieval.files.outline import MODULE
from retrieval.files.query import path_terms
from retrieval.okapi import OkapiIndex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from retrieval.files.document import Document
    from retrieval.files.outline import Definition

_NAMELESS = frozenset({MODULE, "section"})


class Corpus:
    """Files with their documents; ``paths[i]`` belongs to ``documents[i]`` and to entry ``i`` of each score."""

    def __init__(self, paths: Sequence[str], documents: Sequence[Document]) -> None:
        self.paths = tuple(paths)
        self.documents = tuple(documents)
        self.at = {path: number for number, path in enumerate(self.paths)}

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def body(self) -> BM25Index:
        """Return the index over whole files."""
        return BM25Index(join([one.body for one in self.documents]))

    @cached_property
    def okapi(self) -> OkapiIndex:
        """Return the reference index over whole files."""
        return OkapiIndex(join([one.body for one in self.documents]))

    @cached_property
    def pairs(self) -> BM25Index:
        """Return the index over adjacent words."""
        return BM25Index(join([one.pairs for one in self.documents]))

    @cached_property
    def chunks(self) -> BM25Index:
        """Return the index over definitions; ``chunk_owner`` says whose each is."""
        return BM25Index(join([one.chunks for one in self.documents]))

    @cached_property
    def names(self) -> BM25Index:
        """Return the index over path terms."""
        return BM25Index(pack([path_terms(path) for path in self.paths]))

    @cached_property
    def definition_names(self) -> BM25Index:
        """Return the index over the names of single definitions, side by side with ``definition_owner``."""
        names = [set(bag_of(one.name.replace(".", " "))) for _, one in self._named]
        return BM25Index(pack([dict.fromkeys(sorted(name), 1) for name in names]))

    @cached_property
    def definition_owner(self) -> NDArray[np.int64]:
        """Return the file of each named definition."""
        return np.array([at for at, _ in self._named], dtype=np.int64)

    @cached_property
    def vocabulary(self) -> BM25Index:
        """Return the index over all the names that a file defines."""
        bags: list[Counter[int]] = [Counter() for _ in self.paths]
        for at, one in self._named:
            bags[at].update(bag_of(one.name.rpartition(".")[2]))
        return BM25Index(pack(bags))

    @cached_property
    def _named(self) -> tuple[tuple[int, Definition], ...]:
        every = ((at, one) for at, document in enumerate(self.documents) for one in document.definitions)
        return tuple((at, one) for at, one in every if one.kind not in _NAMELESS)

    @cached_property
    def chunk_owner(self) -> NDArray[np.int64]:
        """Return the file of each chunk."""
        return np.repeat(np.arange(len(self)), [len(one.chunks) for one in self.documents])

    @cached_property
    def chunk_first(self) -> NDArray[np.int64]:
        """Return the first chunk of each file."""
        return np.cumsum([0, *(len(one.chunks) for one in self.documents)])

    @cached_property
    def defined(self) -> Mapping[str, tuple[tuple[int, Definition], ...]]:
        """Return who defines a name (the last part of a qualified one), as files and definitions."""
        found: dict[str, list[tuple[int, Definition]]] = defaultdict(list)
        for at, one in self._named:
            found[one.name.rpartition(".")[2]].append((at, one))
        return {name: tuple(places) for name, places in found.items()}
