"""The documents of a tree: what is known already is taken, only the rest is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from retrieval.files.document import Document, document
from retrieval.files.kinds import FileKind, has_text, is_binary, is_generated, kind_of, suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retrieval.files.trees import Tree

BLOCK = 512
"""Files that are read before they are put away: what is lost at most when the process is killed."""


class Documents(Protocol):
    """Keeps documents by content id and file ending; ``None`` stands for content that is no text."""

    def get(self, keys: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], Document | None]:
        """Return those that are known."""
        ...

    def known(self, keys: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Return which are known, without reading them."""
        ...

    def put(self, found: Mapping[tuple[str, str], Document | None]) -> None:
        """Keep them all or none."""
        ...


EMPTY = document("", "")
"""Stands for a file whose content is no text or is not here: it can still be found by its path."""


def read_documents(tree: Tree, known: Documents) -> Mapping[str, Document]:
    """Return path -> document for every file of the tree, reading only contents never seen."""
    keys = _keys(tree)
    found = dict(known.get(keys.values()))
    missing = {key: path for path, key in keys.items() if key not in found}
    for block in _blocks(tree, missing):
        known.put(block)
        found |= block
    return {path: found.get(keys[path]) or EMPTY if path in keys else EMPTY for path in tree.files}


def read_missing(tree: Tree, known: Documents) -> int:
    """Read contents never seen and return how many there were; what is known is not touched."""
    keys = _keys(tree)
    have = known.known(keys.values())
    count = 0
    for block in _blocks(tree, {key: path for path, key in keys.items() if key not in have}):
        known.put(block)
        count += len(block)
    return count


def _keys(tree: Tree) -> Mapping[str, tuple[str, str]]:
    return {path: (one, suffix(path)) for path, one in tree.files.items() if has_text(path)}


def _blocks(
    tree: Tree, missing: Mapping[tuple[str, str], str]
) -> Iterator[dict[tuple[str, str], Document | None]]:
    endings: dict[str, list[tuple[str, str]]] = {}
    for key in missing:
        endings.setdefault(key[0], []).append(key)
    block: dict[tuple[str, str], Document | None] = {}
    for one in tree.contents(endings):
        for key in endings[one.id]:
            block[key] = _document(missing[key], one.content)
        if len(block) >= BLOCK:
            yield block
            block = {}
    if block:
        yield block


def _document(path: str, content: bytes | None) -> Document | None:
    if content is None or is_binary(content):
        return None
    generated = is_generated(content) or kind_of(path) is FileKind.GENERATED
    return document(path, content.decode("utf-8", "replace"), generated=generated)
