"""Code-aware tokens: identifiers whole and in stemmed parts; scripts without spaces as pairs. Pure."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import snowballstemmer

LONGEST = 64
"""A longer run of letters is data (a hash, a minified name), not a word anybody would write in a report."""

_WORD = re.compile(r"[^\W\d_][^\W_]*(?:_+[^\W_]+)*|\d+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_LETTERS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_UNSPACED = re.compile(f"[{_LETTERS}]+")
_RUNS = re.compile(f"[{_LETTERS}]+|[^{_LETTERS}]+")
_STEMMER = snowballstemmer.stemmer("english")


def words(text: str) -> list[str]:
    """Return the identifiers, words and numbers of ``text`` as they stand, in order."""
    return _WORD.findall(text)


def tokens(text: str) -> list[str]:
    """Return the tokens of ``text`` in order: each identifier in stemmed parts, after itself if several."""
    return [token for word in words(text) for token in word_tokens(word)]


def token_counts(text: str) -> Counter[str]:
    """Return how often each token occurs; the order of words costs nothing here, so this is the fast way."""
    counts: Counter[str] = Counter()
    for word, count in Counter(words(text)).items():
        for token in word_tokens(word):
            counts[token] += count
    return counts


@lru_cache(maxsize=1 << 18)
def word_tokens(word: str) -> tuple[str, ...]:
    """Return the tokens of one identifier or word: ``getHTTPResponse`` -> itself, get, http, respons."""
    if _UNSPACED.search(word):
        return tuple(token for run in _RUNS.findall(word.lower()) for token in _run_tokens(run))
    if len(word) > LONGEST:
        return ()
    parts = [stem(part.lower()) for part in _PART.findall(word)]
    kept = [part for part in parts if len(part) > 1 or part.isdigit()]
    return tuple(kept) if len(parts) < 2 else (word.lower(), *kept)  # noqa: PLR2004 - several parts


def _run_tokens(run: str) -> list[str]:
    """Return overlapping pairs: Chinese, Japanese, Korean and Thai put no space between words."""
    if not _UNSPACED.match(run):
        return list(word_tokens(run))
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the English stem of a lower-case word; what is not made of its letters stays as it is."""
    return str(_STEMMER.stemWord(word)) if len(word) > 2 and word.isascii() else word  # noqa: PLR2004 - nothing to cut
