"""Segments answer as one index would, and BM25 agrees with a reference."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import bm25s
import numpy as np
import pytest

from retrieval.commits.columns import History
from retrieval.commits.dense import LatentSpace
from retrieval.commits.document import Field, document_of
from retrieval.commits.domain import AdvisoryQuery, CommitPatch, FileChange
from retrieval.commits.explicit import explicit_commits
from retrieval.commits.families import best_of_family, families
from retrieval.commits.lexical import LENGTH_WEIGHT, SATURATION, bm25, containing, damped, relative
from retrieval.commits.paper import PaperRanking, reciprocal_rank_fusion
from retrieval.commits.releases import Releases
from retrieval.commits.segment import Segment, SegmentBuilder
from retrieval.commits.signals import Signals
from retrieval.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MESSAGES = (
    "Escape names in the header\n\nFixes #7",
    "Add a page for the parser",
    "Check the size of the header header",
    "Release 1.1",
    "Escape names in the header (cherry picked from commit 1000000000)",
)


def commit_id(number: int) -> str:
    """Return an id of which the first seven digits are the number and zeros."""
    return f"{number}".ljust(7, "0") + f"{number:033d}"


def build_history(folder: Path, messages: Sequence[str] = MESSAGES, *, size: int = 2) -> History:
    """Return a line of commits, newest last, in segments of ``size``; ids begin with the place from 1."""
    commits = [
        CommitPatch(
            id=commit_id(number),
            parents=(commit_id(number - 1),) if number > 1 else (),
            authored=number * 86_400,
            committed=number * 86_400,
            message=message,
            changes=(FileChange(path=f"src/f{number}.c", added=1, deleted=0),),
            lines=(f"+value {number}",),
        )
        for number, message in enumerate(messages, start=1)
    ]
    segments = []
    for start in range(0, len(commits), size):
        builder = SegmentBuilder()
        for commit in commits[start : start + size]:
            builder.add(document_of(commit))
        builder.write(folder / f"s{start}-{size}")
        segments.append(Segment(folder / f"s{start}-{size}"))
    return History(segments, commit_id(len(messages)))


def test_bm25_is_the_reference_whatever_the_segments(tmp_path: Path) -> None:
    """bm25s leaves out the factor k1 + 1, which changes no order."""
    corpus = [tokens(message) for message in MESSAGES]
    reference = bm25s.BM25(k1=SATURATION, b=LENGTH_WEIGHT[Field.MESSAGE], method="lucene")
    reference.index(corpus, show_progress=False)
    expected = reference.get_scores(["header", "escap"]) * (SATURATION + 1)

    for size in (1, 2, 5):
        history = build_history(tmp_path, size=size)
        found = bm25(history.segments, Field.MESSAGE, {"header": 1.0, "escap": 1.0, "unheard": 1.0})
        assert found == pytest.approx(expected, abs=1e-5)


def test_a_query_of_unknown_words_scores_nothing(tmp_path: Path) -> None:
    history = build_history(tmp_path)

    assert bm25(history.segments, Field.MESSAGE, {"unheard": 1.0}).tolist() == [0.0] * 5
    assert bm25(history.segments, Field.MESSAGE, {}).tolist() == [0.0] * 5
    assert relative(np.zeros(3)).tolist() == [0.0] * 3


def test_weights_of_terms_grow_slowly() -> None:
    weights = damped({"once": 1, "often": 20})

    assert weights["once"] == 1.0
    assert 1.0 < weights["often"] < 5.0


def test_names_are_held_whole(tmp_path: Path) -> None:
    history = build_history(tmp_path)

    assert containing(history.segments, Field.MENTIONS, ["#7"]).tolist() == [True, False, False, False, False]
    assert containing(history.segments, Field.NAMES, ["f2.c", "f4"]).tolist() == [
        False,
        True,
        False,
        True,
        False,
    ]


def test_a_long_token_is_found_by_its_beginning(tmp_path: Path) -> None:
    history = build_history(tmp_path, ["x" * 64 + " é" * 3, "other"])

    assert bm25(history.segments, Field.MESSAGE, {"x" * 64: 1.0})[0] > 0


def test_commits_are_found_by_id_or_its_beginning(tmp_path: Path) -> None:
    history = build_history(tmp_path)

    assert history.position(commit_id(3)) == 2
    assert history.position("3000000") == 2
    assert history.position("300") is None
    assert history.position("9999999") is None
    assert history.position("3" * 80) is None


def test_an_ambiguous_beginning_names_nobody(tmp_path: Path) -> None:
    messages = ["m"] * 10
    history = build_history(tmp_path, messages)

    assert history.position(commit_id(1)) == 0
    assert history.position("1000000") is None


def test_ancestors_and_the_main_line(tmp_path: Path) -> None:
    history = build_history(tmp_path)

    assert history.ancestors(2).tolist() == [True, True, True, False, False]
    assert history.main_line == (4, 3, 2, 1, 0)
    assert history.brought_by(1) == 1


def test_a_family_is_a_citation_or_a_copy(tmp_path: Path) -> None:
    found = families(build_history(tmp_path))

    assert found[0] == found[4]
    assert len(set(found.tolist())) == 4
    assert best_of_family(found, np.array([0.0, 1, 2, 3, 9])).tolist() == [9.0, 1, 2, 3, 9]


def test_the_window_lies_between_two_releases(tmp_path: Path) -> None:
    history = build_history(tmp_path)
    tags = [("v1.0", history.id(1)), ("v1.1", history.id(3)), ("blob", "f" * 40), ("v0.9", "e" * 40)]
    releases = Releases(history, tags)

    exact = releases.windows(AdvisoryQuery(text="", fixed=("1.1",)))
    text = releases.windows(AdvisoryQuery(text="Tool before 1.1 is broken", fixed=("1.1",)))
    unreleased = releases.windows(AdvisoryQuery(text="", fixed=("1.2",)))
    first = releases.windows(AdvisoryQuery(text="", fixed=("1.0",)))
    last = releases.windows(AdvisoryQuery(text="Tool through 1.0 is broken"))
    later = releases.windows(AdvisoryQuery(text="", fixed=("1.0.5",)))

    assert [window.commits.tolist() for window in exact] == [[False, False, True, True, False]]
    assert [(window.after, window.before) for window in text] == [("v1.0", "v1.1")]
    assert [window.commits.tolist() for window in unreleased] == [[False, False, False, False, True]]
    assert [window.commits.tolist() for window in first] == [[True, True, False, False, False]]
    assert [window.before for window in last] == ["v1.1"]
    assert [window.before for window in later] == ["v1.1"]


def test_versions_that_lead_nowhere_give_no_window(tmp_path: Path) -> None:
    history = build_history(tmp_path)
    tagged = Releases(history, [("v1.0", history.id(1))])

    assert Releases(history, []).windows(AdvisoryQuery(text="through 1.0", fixed=("1.1", "soon"))) == ()
    assert tagged.windows(AdvisoryQuery(text="Broken through 0.5")) == ()
    assert tagged.windows(AdvisoryQuery(text="Broken before 9.9")) == ()


def test_steps_towards_a_release_bound_nothing(tmp_path: Path) -> None:
    history = build_history(tmp_path)

    assert (
        Releases(history, [("v1.0rc1", history.id(1))]).windows(AdvisoryQuery(text="", fixed=("1.0",))) == ()
    )


def test_a_citation_of_nobody_makes_no_family(tmp_path: Path) -> None:
    found = families(build_history(tmp_path, ["Fix (cherry picked from commit abcdef0123)", "Other"]))

    assert len(set(found.tolist())) == 2


def test_one_patch_in_two_commits_is_a_family_unless_it_is_everywhere(tmp_path: Path) -> None:
    def build(count: int) -> History:
        builder = SegmentBuilder()
        for number in range(1, count + 1):
            commit = CommitPatch(
                id=commit_id(number),
                parents=(),
                authored=number,
                committed=number,
                message="x",
                lines=("+same",),
            )
            builder.add(document_of(commit))
        builder.write(tmp_path / str(count))
        return History([Segment(tmp_path / str(count))])

    assert len(set(families(build(2)).tolist())) == 1
    assert len(set(families(build(30)).tolist())) == 30


def test_releases_can_be_seen_as_they_were(tmp_path: Path) -> None:
    history = build_history(tmp_path)
    releases = Releases(history, [("v1.0", history.id(1)), ("v1.1", history.id(3))])

    (window,) = releases.until(3 * 86_400.0).windows(AdvisoryQuery(text="", fixed=("1.1",)))

    assert (window.until, window.after) == (None, "v1.0")


def test_a_label_of_its_own_finds_the_release_before_its_change(tmp_path: Path) -> None:
    history = build_history(tmp_path)
    tags = [
        ("1.0", history.id(0)),
        ("lib-v1.1", history.id(2)),
        ("cli-v1.1", history.id(4)),
        ("lib-v1.2", history.id(3)),
    ]

    (window,) = Releases(history, tags).windows(AdvisoryQuery(text="", fixed=("1.1",)))

    assert (window.after, window.before) == ("1.0", "lib-v1.1")


def test_without_dates_and_versions_their_signals_are_silent(tmp_path: Path) -> None:
    history = build_history(tmp_path)

    table = Signals(history, Releases(history, [])).table(AdvisoryQuery(text="Escape the header"))

    for name in ("date", "author_date", "late", "window", "window_end", "id", "issue", "file"):
        assert table.column(name).tolist() == [0.0] * 5
    assert table.column("message").max() == 1.0


def test_an_issue_of_a_copy_counts_for_the_copy_alone(tmp_path: Path) -> None:
    history = build_history(tmp_path)

    table = Signals(history, Releases(history, [])).table(AdvisoryQuery(text="see #7"))

    assert table.column("issue").tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert table.column("issue_of_copy").tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert table.row(0)["issue"] == 1.0


def test_links_and_names_of_commits_are_explicit(tmp_path: Path) -> None:
    history = build_history(tmp_path)
    query = AdvisoryQuery(
        text="Not in commit 9999999; fixed in commit 3000000 (https://host/o/r/commit/5000000).",
        links=("https://host/o/r/commit/1000000000", "https://host/other/r/commit/abcdef0", "https://host/"),
    )

    assert explicit_commits(history, query) == {
        0: "https://host/o/r/commit/1000000000",
        4: "https://host/o/r/commit/5000000",
        2: "commit 3000000",
    }


def test_equal_scores_share_a_rank_in_the_fusion() -> None:
    fused = reciprocal_rank_fusion([np.array([3.0, 1.0, 3.0]), np.array([0.0, 0.0, 5.0])])

    assert fused.tolist() == pytest.approx([1 / 61 + 1 / 62, 1 / 63 + 1 / 62, 1 / 61 + 1 / 61])


def test_the_latent_space_puts_words_that_go_together_side_by_side(tmp_path: Path) -> None:
    groups = (("alpha", "beta", "gamma"), ("delta", "epsilon", "zeta"))
    pairs = [pair for group in groups for pair in itertools.permutations(group, 2)]
    history = build_history(tmp_path, [" ".join(pair) for pair in pairs])
    space = LatentSpace(history, Field.MESSAGE, dimensions=2)

    near = space.similarities({tokens("alpha")[0]: 1.0})

    assert near[:6].min() > 0.9
    assert near[6:].max() < 0.1
    assert space.similarities({"unheard": 1.0}).tolist() == [0.0] * len(pairs)


def test_a_space_of_one_commit_is_silent(tmp_path: Path) -> None:
    history = build_history(tmp_path, ["alone"])

    assert LatentSpace(history, Field.MESSAGE).similarities({"alon": 1.0}).tolist() == [0.0]


def test_the_paper_ranks_by_text_time_and_space(tmp_path: Path) -> None:
    from datetime import date

    history = build_history(tmp_path)
    query = AdvisoryQuery(text="size header", published=date(1970, 1, 4))
    table = Signals(history, Releases(history, [])).table(query)

    assert int(np.argmax(PaperRanking(history).scores(query, table))) == 2
    assert int(np.argmax(PaperRanking(history).scores(AdvisoryQuery(text="size header"), table))) == 2
