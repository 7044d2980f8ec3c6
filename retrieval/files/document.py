"""What is kept of a file's content: counted terms, adjacent pairs, definitions with their terms. Pure.

A term is the CRC-32 of a token: no vocabulary has to be kept in step between indexes, and among 300,000 tokens
ten share a number with another, which moves no ranking.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from retrieval.files.bags import Bags, pack
from retrieval.files.outline import Definition, outline
from retrieval.tokens import LONGEST, stem, word_tokens, words

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = 3
"""Goes up whenever the same content would give another document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The content of one file, by what it says. ``chunks`` and ``definitions`` run side by side."""

    body: Bags
    pairs: Bags
    definitions: tuple[Definition, ...]
    chunks: Bags
    generated: bool = False


@lru_cache(maxsize=1 << 18)
def term(token: str) -> int:
    """Return the number that stands for a token."""
    return crc32(token.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1 << 18)
def _word_terms(word: str) -> tuple[int, ...]:
    return tuple(term(token) for token in word_tokens(word))


def bag_of(text: str) -> Counter[int]:
    """Return the counted terms of a text."""
    return _bag_of_words(words(text))


def _bag_of_words(found: Iterable[str]) -> Counter[int]:
    counted: Counter[int] = Counter()
    for word, count in Counter(found).items():
        for number in _word_terms(word):
            counted[number] += count
    return counted


def pairs_of(found: Iterable[str]) -> Counter[int]:
    """Return the adjacent pairs of words, stemmed: what an error message or a dotted name leaves behind."""
    stems = [stem(word.lower()) for word in found if len(word) <= LONGEST]
    return Counter(crc32(f"{one} {two}".encode("utf-8", "surrogatepass")) for one, two in pairwise(stems))


def document(path: str, text: str, *, generated: bool = False) -> Document:
    """Return what is kept of a file; of a generated one no definitions."""
    per_line = [words(line) for line in text.split("\n")]
    definitions = () if generated else outline(path, text)
    own = (_own(definition, definitions, per_line) for definition in definitions)
    flat = [word for line in per_line for word in line]
    return Document(
        body=pack([_bag_of_words(flat)]),
        pairs=pack([pairs_of(flat)]),
        definitions=definitions,
        chunks=pack([_bag_of_words(chunk) for chunk in own]),
        generated=generated,
    )


def _own(definition: Definition, every: tuple[Definition, ...], per_line: list[list[str]]) -> list[str]:
    """Return the words of a definition; of a class, those before its first method and its attributes."""
    start, end = definition.start_line - 1, definition.end_line
    if definition.kind == "class":
        inner = [
            one.start_line - 1 for one in every if start < one.start_line - 1 < end and one.kind != "module"
        ]
        end = min((*inner, end))
    return [word for line in per_line[start:end] for word in line]
