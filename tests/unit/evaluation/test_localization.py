from __future__ import annotations

import gzip
import json
from pathlib import Path  # noqa: TC003 - a fixture's type

import numpy as np
import pytest

from evaluation.errors import EvaluationError
from evaluation.localization import Asked
from evaluation.localization_cases import read_cases, read_past, repository_path, split_report
from evaluation.localization_checkpoint import checkpoint_path, load_case, save_case
from evaluation.localization_engines import ENGINES, engine_rankings
from evaluation.localization_fit import MeasuredCase, fit, fit_leaving_out, ranking, shipped_weights
from evaluation.localization_report import BEGIN, END, figures, markdown, placed, results
from retrieval.domain import FileQuery
from retrieval.files.presets import DEFAULT
from tests.unit.retrieval.files.build import build_corpus

PATHS = tuple(f"f{number}.py" for number in range(8))


def build_case(
    number: int, *, repository: str = "a/a", changed: tuple[int, ...] | None = None, missing: int = 0
) -> MeasuredCase:
    """Return a case whose first signal is right and whose second is noise."""
    generator = np.random.default_rng(number)
    right = changed if changed is not None else (number % len(PATHS),)
    signals = generator.uniform(0, 0.4, size=(len(PATHS), 2))
    signals[list(right), 0] += 0.5
    return MeasuredCase(
        id=f"case-{number}",
        repository=repository,
        paths=PATHS,
        names=("right", "noise"),
        signals=signals,
        changed=right,
        missing=missing,
    )


CASES = [build_case(number, repository=f"o/{number % 3}") for number in range(30)]


def test_the_fit_finds_the_signal_that_is_right() -> None:
    right, noise = fit(CASES, ridge=0.1)

    assert right > 5 * noise >= 0


def test_a_sweep_through_the_tree_is_not_fitted_to() -> None:
    sweep = build_case(99, changed=tuple(range(8)))

    assert fit([*CASES, sweep]).tolist() == fit(CASES).tolist()


def test_weights_for_a_repository_never_saw_it() -> None:
    """Turning one repository's signals around changes every weight but its own."""
    turned = [
        MeasuredCase(
            id=one.id,
            repository=one.repository,
            paths=one.paths,
            names=one.names,
            signals=one.signals[:, ::-1] if one.repository == "o/0" else one.signals,
            changed=one.changed,
        )
        for one in CASES
    ]
    plain, other = fit_leaving_out(CASES), fit_leaving_out(turned)

    assert plain["o/0"].tolist() == other["o/0"].tolist()
    assert plain["o/1"].tolist() != other["o/1"].tolist()


def test_equal_scores_are_ranked_in_path_order() -> None:
    assert ranking(build_case(1), np.zeros(2)) == PATHS


def test_the_shipped_weights_are_those_of_the_preset() -> None:
    names = (*DEFAULT.lexical, *DEFAULT.history)
    weights = shipped_weights(names, DEFAULT)

    assert weights.sum() == pytest.approx(1)
    assert weights[len(DEFAULT.lexical) :].sum() == pytest.approx(DEFAULT.alpha)


def test_recall_is_the_share_of_changed_files_and_what_is_no_candidate_is_never_found() -> None:
    case = build_case(1, changed=(0, 3), missing=2)
    found = figures("x", [case], [PATHS])

    assert {k: one.mean for k, one in found.recall.items()} == {1: 0.25, 3: 0.25, 5: 0.5, 10: 0.5, 20: 0.5}
    assert (found.all_found[10], found.mrr.mean) == (0.0, 1.0)


def build_asked() -> list[Asked]:
    return [
        Asked(case=one, whole=one, rankings={"paper": one.paths}, seconds={"query": 0.002}) for one in CASES
    ]


def test_the_report_holds_every_table_and_the_gain_over_the_paper() -> None:
    found = results(build_asked(), np.array([1.0, 0.0]))
    text = markdown(found, command="suture eval localization", date="2026-01-01", commit="abc")

    assert [one.name for one in found.figures] == ["default", "default as shipped (fitted on these)", "paper"]
    assert found.figures[0].recall[1].mean == 1.0
    assert found.gain["paper"].low > 0
    assert found.ablations["right"][1] < found.ablations["noise"][1]
    assert [one.name for one in found.repositories] == ["o/0", "o/1", "o/2"]
    assert "Measured on 2026-01-01 at commit `abc` by `suture eval localization`." in text
    assert "| query | 2.0 |" in text
    assert json.loads(json.dumps(found.as_json()))["version"] == 1


def test_tables_are_put_between_the_markers_of_a_document() -> None:
    document = f"before\n{BEGIN}\nold\n{END}\nafter\n"

    assert placed(document, "| new |\n") == f"before\n{BEGIN}\n\n| new |\n\n{END}\nafter\n"
    with pytest.raises(ValueError, match="needs the lines"):
        placed("no markers", "x")


def test_a_single_repository_is_ranked_by_the_shipped_weights() -> None:
    alone = [one for one in build_asked() if one.case.repository == "o/1"]

    found = results(alone, np.array([0.0, 1.0]))

    assert found.figures[0].recall == found.figures[1].recall


def test_a_measured_case_survives_the_disk_and_other_settings_have_another_place(tmp_path: Path) -> None:
    path = checkpoint_path(tmp_path, "case-1", (1, "a"))
    save_case(path, CASES[1], {"seconds": {}})
    kept = load_case(path)

    assert kept is not None
    assert np.allclose(kept[0].signals, CASES[1].signals, atol=1e-6)
    assert (kept[0].paths, kept[0].changed, kept[1]) == (CASES[1].paths, CASES[1].changed, {"seconds": {}})
    assert load_case(checkpoint_path(tmp_path, "case-1", (2, "a"))) is None


ROW = {
    "instance_id": "1",
    "repo": "o/r",
    "base_commit": "c",
    "problem_statement": "# T\nbody",
    "gold_files": ["a.py"],
}


def test_cases_and_past_issues_are_read_plain_and_gzipped(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(json.dumps(ROW) + "\n\n")
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(json.dumps({**ROW, "base_commit_date": 5}).encode()))

    (case,) = read_cases(tmp_path / "c.jsonl")
    past = read_past(tmp_path / "p.jsonl.gz")

    assert (case.query, case.files, case.commit) == (FileQuery(title="T", body="body"), ("a.py",), "c")
    assert [(one.id, one.time, one.title) for one in past["o/r"]] == [("1", 5, "T")]


@pytest.mark.parametrize("line", ["{", "[]", '{"repo": "o/r"}'])
def test_a_line_that_is_no_case_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "c.jsonl").write_text(line)

    with pytest.raises(EvaluationError, match=r"c\.jsonl, line 1: "):
        read_cases(tmp_path / "c.jsonl")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="cannot be read"):
        read_cases(tmp_path / "missing.jsonl")


@pytest.mark.parametrize("folder", ["o/r", "o/r.git", "o+r/repo", "o+r"])
def test_repositories_are_found_in_every_layout_and_by_alias(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True)

    assert repository_path(tmp_path, "o/r", {}) == tmp_path / folder
    assert repository_path(tmp_path, "x/y", {"x/y": "o/r"}) == tmp_path / folder
    with pytest.raises(EvaluationError, match="x/y is not in"):
        repository_path(tmp_path, "x/y", {})


def test_the_three_engines_agree_on_the_best_file() -> None:
    files = {
        "a.py": "parse the cookie header",
        "b.py": "paint the canvas",
        "c.py": "login form",
        "d.py": "colors",
    }
    seconds: dict[str, float] = {}

    found = engine_rankings(FileQuery(title="cookie header", body=""), build_corpus(files), seconds)

    assert {name: ranked[0] for name, ranked in found.items()} == dict.fromkeys(ENGINES, "a.py")
    assert seconds.keys() == {f"{name} {step}" for name in ENGINES for step in ("index", "query")}


def test_a_report_is_its_first_line_and_the_rest() -> None:
    assert split_report("\n## Bug \n\nmore") == FileQuery(title="Bug", body="\nmore")
