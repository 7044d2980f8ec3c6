from __future__ import annotations

import numpy as np
import pytest

from retrieval.domain import FileQuery
from retrieval.embedders.svd import SVDEmbedder
from retrieval.files.explanation import past_of
from retrieval.files.fusion import AGREEMENTS, Preset, fuse, min_max
from retrieval.files.issues import IssueMemory
from retrieval.files.past_signals import HISTORY
from retrieval.files.presets import DEFAULT, PAPER, PRESETS
from retrieval.files.ranking import APART, NAMED, rank
from retrieval.files.signals import LEXICAL
from retrieval.files.snapshot import Snapshot
from tests.unit.retrieval.files.build import build_issue, build_log, build_snapshot

FILES = {
    "lib/cookie.py": "class Cookie:\n    def parse(self, header):\n        return header\n",
    "lib/paint.py": "def paint(canvas):\n    return canvas\n",
    "tests/test_cookie.py": "def test_parse_cookie_header():\n    Cookie().parse('header')\n",
    "docs/cookie.md": "# Cookies\nHow to parse a cookie header\n",
}
QUERY = FileQuery(title="Cookie header is parsed wrongly", body="")


def test_min_max_is_within_0_and_1_and_flat_scores_say_nothing() -> None:
    assert min_max(np.array([2.0, 4.0, 3.0])).tolist() == [0.0, 1.0, 0.5]
    assert min_max(np.array([2.0, 2.0])).tolist() == [0.0, 0.0]
    assert min_max(np.array([])).tolist() == []


def test_fusion_is_the_formula_of_patchrecall() -> None:
    preset = Preset(name="x", alpha=0.25, lexical={"a": 1.0}, history={"b": 1.0, "absent": 1.0})

    fused = fuse({"a": np.array([1.0, 0.0]), "b": np.array([0.5, 1.0])}, preset, 2)

    assert fused.tolist() == [0.25 * 0.5 + 0.75 * 1.0, 0.25 * 1.0]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_a_preset_weighs_known_signals_and_each_side_sums_to_one(preset: Preset) -> None:
    assert preset.lexical.keys() <= LEXICAL.keys() | AGREEMENTS.keys()
    assert preset.history.keys() <= HISTORY.keys() | AGREEMENTS.keys()
    assert sum(preset.lexical.values()) == pytest.approx(1)
    assert sum(preset.history.values()) == pytest.approx(1)
    assert 0 < preset.alpha < 1


def test_source_comes_before_tests_and_documents_that_say_the_same() -> None:
    ranked = rank(QUERY, build_snapshot(FILES), DEFAULT, k=10)

    assert ranked[0].path == "lib/cookie.py"
    assert {one.path for one in ranked} == set(FILES)
    assert all(one.score <= APART for one in ranked if not one.path.startswith("lib/"))


def test_a_test_that_the_report_names_is_not_put_behind() -> None:
    named = FileQuery(title="Flaky: tests/test_cookie.py", body="")
    ranked = [one for one in rank(named, build_snapshot(FILES), DEFAULT, k=4) if one.path.startswith("tests")]
    unnamed = [
        one for one in rank(QUERY, build_snapshot(FILES), DEFAULT, k=4) if one.path.startswith("tests")
    ]

    assert ranked[0].score >= NAMED > APART > unnamed[0].score
    assert "tests/test_cookie.py" in [one.path for one in rank(named, build_snapshot(FILES), DEFAULT, k=2)]


def test_equal_scores_are_in_path_order() -> None:
    same = {f"{name}.py": "x = 1\n" for name in "cab"}

    assert [one.path for one in rank(QUERY, build_snapshot(same), DEFAULT, k=3)] == ["a.py", "b.py", "c.py"]


def test_the_best_definitions_are_told_with_their_lines() -> None:
    best = rank(QUERY, build_snapshot(FILES), DEFAULT, k=1)[0]

    assert next((chunk.name, chunk.start_line, chunk.end_line) for chunk in best.chunks) == (
        "Cookie.parse",
        2,
        3,
    )
    assert [chunk.score for chunk in best.chunks] == sorted(
        (chunk.score for chunk in best.chunks), reverse=True
    )


def test_every_signal_that_is_told_is_within_0_and_1() -> None:
    for one in rank(QUERY, build_snapshot(FILES), DEFAULT, k=10):
        assert one.signals.keys() == DEFAULT.lexical.keys() | DEFAULT.history.keys()
        assert all(0 <= value <= 1 for value in one.signals.values())


def with_issues(*issues: tuple[str, str, str, int]) -> Snapshot:
    memory = IssueMemory.learn(
        SVDEmbedder(), [build_issue(i, title, path, time=time) for i, title, path, time in issues]
    )
    plain = build_snapshot(FILES)
    return Snapshot(documents=plain.documents, now=plain.now, memory=memory)


def test_the_paper_counts_the_ten_nearest_issues_over_all_files() -> None:
    issues = [(f"i{n}", f"Canvas colors bleed {n}", "lib/paint.py", n) for n in range(12)]
    ready = with_issues(*issues, ("other", "Docs are outdated", "docs/cookie.md", 3))

    ranked = rank(FileQuery(title="Canvas colors bleed", body=""), ready, PAPER, k=4)

    assert ranked[0].path == "lib/paint.py"
    assert ranked[0].signals == {"okapi_words": 1.0, "paper_issues": 1.0}


def test_only_issues_closed_before_the_commit_speak() -> None:
    later = build_snapshot({}).now
    ready = with_issues(
        ("i1", "Canvas colors bleed", "lib/paint.py", later), ("i2", "Something else", "lib/cookie.py", 1)
    )

    for preset, signal in ((DEFAULT, "issues"), (PAPER, "paper_issues")):
        ranked = rank(FileQuery(title="Canvas colors bleed", body=""), ready, preset, k=4)
        assert {one.signals[signal] for one in ranked if one.path == "lib/paint.py"} == {0.0}


def test_a_past_fix_and_a_past_issue_are_named_as_the_reason() -> None:
    plain = build_snapshot(
        FILES, build_log(("Fix cookie header", ("lib/cookie.py",)), ("Paint", ("lib/paint.py",)))
    )
    memory = IssueMemory.learn(SVDEmbedder(), [build_issue("77", "Cookie header lost", "lib/cookie.py")])
    ready = Snapshot(documents=plain.documents, log=plain.log, now=plain.now, memory=memory)

    past = past_of(QUERY, ready, ["lib/cookie.py", "lib/paint.py"])

    assert [(fix.kind, fix.id) for fix in past["lib/cookie.py"]] == [("commit", "c0"), ("issue", "77")]
    assert past["lib/paint.py"] == ()
