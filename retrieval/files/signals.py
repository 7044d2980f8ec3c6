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
    return _best(chunk_scores(query, corpus), corpus)


def title_chunk(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the best definition of each file for the first line."""
    return _best(corpus.chunks.scores(query.title), corpus)


def lead_chunk(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the best definition of each file for the first line and the first paragraphs."""
    return _best(corpus.chunks.scores(query.lead), corpus)


def title_definition(query: ParsedQuery, corpus: Corpus) -> Scores:
    """Return the definition of each file whose name is nearest to the first line."""
    scores = np.zeros(len(corpus))
    np.maximum.at(scores, corpus.definition_owner, corpus.definition_names.scores(query.title))
    return scores


def title_vocabulary(query: ParsedQuery, corpus: Corpus) -> Scores:
    """BM25 of the first line over all the names that a file defines."""
    return corpus.vocabulary.scores(query.title, b=_SHORT_B)


def _best(scores: Scores, corpus: Corpus) -> Scores:
    """Return the best chunk score of each file."""
    best = np.zeros(len(corpus))
    np.maximum.at(best, corpus.chunk_owner, scores)
    return best


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


def _definers(names: Iterable[str], corpus: Corpus) -> Scores:
    scores = np.zeros(len(corpus))
    for name in names:
        places = {at for at, _ in corpus.defined.get(name, ())}
        if places:
            scores[list(places)] += np.log1p(len(corpus) / len(places)) / len(places) ** 0.5
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


LEXICAL: Mapping[str, Signal] = {
    "okapi_words": okapi_words,
    "title_words": title_words,
    "body_words": body_words,
    "best_chunk": best_chunk,
    "path_words": path_words,
    "path_title": path_title,
    "defined_names": defined_names,
    "named_paths": named_paths,
    "title_pairs": title_pairs,
    "body_pairs": body_pairs,
    "title_chunk": title_chunk,
    "lead_chunk": lead_chunk,
    "title_definition": title_definition,
    "title_vocabulary": title_vocabulary,
    "defined_code": defined_code,
    "traceback_frames": traceback_frames,
}
"""Every signal of the lexical side by its name."""

RAW = frozenset({"named_paths", "traceback_frames"})
"""Signals that are within 0..1 by themselves: a weak mention stays weak."""
