"""What the content of the files says about a report: one number a file and signal, higher is likelier. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from retrieval.files.corpus import Corpus
    from retrieval.files.query import ParsedQuery

    Scores = NDArray[np.float64]
    Signal = Callable[[ParsedQuery, Corpus], Scores]

_SHORT_B = 0.4
_ENOUGH = 2
"""Parts of a path that name a file for sure: ``forms/models.py``."""

_UNSURE = 0.5


def title_words(query: ParsedQuery, corpus: Corpus) -> Scores:
    """BM25 of the first line over whole files; long files are forgiven."""
    return corpus.body.scores(query.title, b=_SHORT_B)


def body_words(query: ParsedQuery, corpus: Corpus) -> Scores:
    """BM25 of the whole text over whole files."""
    return corpus.body.scores(query.body)


def okapi_words(query: ParsedQuery, corpus: Corpus) -> Scores:
    """BM25Okapi of the whole text, as ``rank-bm25`` has it: the lexical side of preset ``paper``."""
    return corpus.okapi.scores(query.body)


def title_pairs(query: ParsedQuery, corpus: Corpus) -> Scores:
    """BM25 of the adjacent words of the first line."""
    return corpus.pairs.scores(query.title_pairs, b=_SHORT_B)


def body_pairs(query: ParsedQuery, corpus: Corpus) -> Scores:
    """BM25 of the adjacent words of the text, each once: messages and dotted names."""
    return corpus.pairs.scores(dict.fromkeys(query.body_pairs, 1.0), b=_SHORT_B)


def chunk_scores(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return BM25 of the distinct words over definitions, one number a chunk."""
    return corpus.chunks.scores(query.unique)


def best_chunk(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the best definition of each file."""
    return _best(chunk_scores(query, corpus), corpus, 1)


def best_chunks(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the sum of the best three definitions of each file."""
    return _best(chunk_scores(query, corpus), corpus, 3)


def title_chunk(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the best definition of each file for the first line."""
    return _best(corpus.chunks.scores(query.title), corpus, 1)


def _best(scores: Scores, corpus: Corpus, count: int) -> Scores:
    """Return the sum of the best ``count`` chunk scores of each file."""
    owner = corpus.chunk_owner
    total = np.zeros(len(corpus))
    if not len(scores):
        return total
    order = np.lexsort((-scores, owner))
    rank = np.arange(len(order)) - corpus.chunk_first[owner[order]]
    chosen = order[rank < count]
    np.add.at(total, owner[chosen], scores[chosen])
    return total


def path_words(query: ParsedQuery, corpus: Corpus) -> Scores:
    """BM25 of the whole text over the words of paths."""
    return corpus.names.scores(query.body)


def path_title(query: ParsedQuery, corpus: Corpus) -> Scores:
    """BM25 of the first line over the words of paths."""
    return corpus.names.scores(query.title)


def defined_names(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return how rare the names are that the text uses and the file defines."""
    return _definers(query.plain_names, corpus)


def defined_code(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the same for names that are written as code."""
    return _definers(query.code_names, corpus)


def defined_title(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the same for names in the first line."""
    return _definers(query.title_names, corpus)


def _definers(names: Iterable[str], corpus: Corpus) -> Scores:
    scores = np.zeros(len(corpus))
    for name in names:
        places = {at for at, _ in corpus.defined.get(name, ())}
        if places:
            scores[list(places)] += np.log1p(len(corpus) / len(places)) / len(places) ** 0.5
    return scores


def qualified_names(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Count methods whose class and name the text both holds: ``QuerySet`` and ``delete``."""
    scores = np.zeros(len(corpus))
    for name in query.plain_names:
        pairs = [(at, one) for at, one in corpus.defined.get(name, ()) if "." in one.name]
        matched = [at for at, one in pairs if one.name.split(".")[-2] in query.plain_names]
        for at in set(matched):
            scores[at] += 1 / len(set(matched))
    return scores


def named_paths(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return how surely the text names a file: its path from the root, or enough of its end."""
    return _named(query.paths, corpus)


def _named(paths: Iterable[str], corpus: Corpus) -> Scores:
    scores = np.zeros(len(corpus))
    for mention in paths:
        wanted = mention.lower().split("/")
        matched: list[tuple[int, int]] = []
        for at, path in enumerate(corpus.paths):
            if not path.lower().endswith(wanted[-1]):
                continue
            parts = path.lower().split("/")
            common = 0
            while common < min(len(parts), len(wanted)) and parts[-1 - common] == wanted[-1 - common]:
                common += 1
            if common:
                matched.append((common, at))
        if matched:
            deepest = max(common for common, _ in matched)
            best = [at for common, at in matched if common == deepest]
            for at in best:
                sure = deepest >= _ENOUGH or deepest == len(corpus.paths[at].split("/"))
                scores[at] = max(scores[at], (1.0 if sure else _UNSURE) / len(best))
    return scores


def traceback_frames(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the place of a file in the tracebacks: the innermost frame says most."""
    scores = np.zeros(len(corpus))
    seen = 0
    for frame in reversed(query.frames):
        found = _named([frame.path], corpus)
        if found.max(initial=0) >= _UNSURE:
            seen += 1
            scores = np.maximum(scores, found / seen)
    return scores


def resolved_names(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the files that define what the text imports or names with dots, through re-exports."""
    scores = np.zeros(len(corpus))
    aliases = {name.rpartition(".")[2]: name for name in query.imported}
    for dotted in (*query.dotted, *query.imported):
        head, _, rest = dotted.partition(".")
        names = [dotted, f"{aliases[head]}.{rest}"] if head in aliases and rest else [dotted]
        for name in names:
            found = corpus.modules.resolve(name)
            if found is not None:
                at, sure = found
                scores[at] = max(scores[at], 1.0 if sure else 0.3)
    return scores


LEXICAL: Mapping[str, Signal] = {
    "okapi_words": okapi_words,
    "title_words": title_words,
    "body_words": body_words,
    "best_chunk": best_chunk,
    "best_chunks": best_chunks,
    "path_words": path_words,
    "path_title": path_title,
    "defined_names": defined_names,
    "named_paths": named_paths,
    "title_pairs": title_pairs,
    "body_pairs": body_pairs,
    "title_chunk": title_chunk,
    "defined_code": defined_code,
    "defined_title": defined_title,
    "qualified_names": qualified_names,
    "traceback_frames": traceback_frames,
    "resolved_names": resolved_names,
}
"""Every signal of the lexical side by its name."""

RAW = frozenset({"named_paths", "traceback_frames", "resolved_names"})
"""Signals that are within 0..1 by themselves: a weak mention stays weak."""
