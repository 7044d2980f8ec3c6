from __future__ import annotations

import numpy as np
import pytest

from retrieval.files.signals import LEXICAL
from tests.unit.retrieval.files.build import build_corpus, build_query

FILES = {
    "pkg/cookies.py": """
class CookieJar:
    def parse_cookie(self, header):
        raise ValueError('invalid cookie header')
""",
    "pkg/forms/models.py": "def clean(form):\n    return form\n",
    "pkg/db/models.py": "def save(row):\n    return row\n",
    "pkg/empty.py": "",
}


def said(name: str, title: str, body: str = "") -> dict[str, float]:
    corpus = build_corpus(FILES)
    scores = LEXICAL[name](build_query(title, body), corpus)
    return {path: float(score) for path, score in zip(corpus.paths, scores, strict=True) if score > 0}


@pytest.mark.parametrize("name", sorted(LEXICAL))
def test_every_signal_gives_one_number_a_file_and_takes_an_empty_tree(name: str) -> None:
    query = build_query(
        "parse_cookie fails in pkg/cookies.py", 'File "pkg/cookies.py", line 3, in parse_cookie'
    )

    scores = LEXICAL[name](query, build_corpus(FILES))

    assert scores.shape == (len(FILES),)
    assert np.isfinite(scores).all()
    assert LEXICAL[name](query, build_corpus({})).shape == (0,)


@pytest.mark.parametrize(
    "name",
    sorted(LEXICAL.keys() - {"title_pairs", "body_pairs", "named_paths", "traceback_frames"}),
)
def test_the_file_of_the_named_function_is_best(name: str) -> None:
    found = said(name, "parse_cookie accepts a bad cookies header")

    assert max(found, key=lambda path: found[path]) == "pkg/cookies.py"


def test_an_error_message_is_found_by_its_adjacent_words() -> None:
    assert list(said("body_pairs", "Crash", "it says: invalid cookie header")) == ["pkg/cookies.py"]
    assert list(said("title_pairs", "invalid cookie header")) == ["pkg/cookies.py"]


def test_a_path_names_one_file_and_a_bare_name_shares_among_namesakes() -> None:
    assert said("named_paths", "see /usr/lib/python3/site-packages/pkg/forms/models.py") == {
        "pkg/forms/models.py": 1.0
    }
    assert said("named_paths", "in models.py") == {"pkg/forms/models.py": 0.25, "pkg/db/models.py": 0.25}


def test_the_innermost_frame_says_most_and_foreign_frames_nothing() -> None:
    frames = ("/x/pkg/db/models.py", "/x/pkg/cookies.py", "/lib/re.py")
    trace = "\n".join(f'File "{frame}", line 1, in f' for frame in frames)

    assert said("traceback_frames", "Crash", trace) == {"pkg/cookies.py": 1.0, "pkg/db/models.py": 0.5}
