"""The whole measurement on small repositories whose fixes are known."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from bot.cli import build_app
from evaluation.errors import EvaluationError
from evaluation.tracing import Bench, Variant
from evaluation.tracing_cases import COLUMNS, find_repository, read_cases
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path


def build_repository(path: Path, name: str) -> tuple[str, str]:
    """Return a fix and its copy on a release branch."""
    workshop = Workshop(path)
    workshop.commit({"parse.py": "def parse():\n    pass\n", "page.py": "p = 1\n"}, f"Begin {name}")
    workshop.git("tag", "v1.0")
    workshop.git("branch", "stable")
    workshop.commit({"page.py": "p = 2\n"}, "Change the page")
    fix = workshop.commit({"parse.py": "def parse():\n    check_size()\n"}, "Check the size in parse")
    workshop.git("tag", "v1.1")
    workshop.commit({"page.py": "p = 3\n"}, "Change the page again")
    workshop.git("checkout", "-q", "stable")
    workshop.git("cherry-pick", "-x", fix)
    copy = workshop.git("rev-parse", "HEAD")
    workshop.git("checkout", "-q", "main")
    return fix, copy


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def build_row(**changed: str) -> dict[str, str]:
    given = {
        "advisory": "CVE-2020-1",
        "repo": "o/one",
        "published": "2020-09-20",
        "fixed_versions": "1.1",
        "ids": "CVE-2020-1|GHSA-aaaa-bbbb-cccc",
        "description": "parse() does not check the size.",
        "links": "https://host/o/one/issues/1",
    }
    return given | changed


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = []
    for name in ("one", "two", "three"):
        fix, _ = build_repository(tmp_path / "repos" / "o" / name, name)
        rows.append(build_row(repo=f"o/{name}", fix_commits=fix))
    return write(tmp_path / "data.csv", rows)


def test_known_fixes_are_found_in_repositories_that_were_left_out(table: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    page = tmp_path / "page.md"

    result = runner.invoke(
        build_app(),
        ["eval", "tracing", "--data", str(table), "--repos", str(tmp_path / "repos"), "--json",
         "--markdown", str(page)],
    )  # fmt: skip

    found = json.loads(result.stdout)
    rows = {row["name"]: row for row in found["sections"]["Ways to rank"]}
    assert rows["default: links ignored"]["strict"]["5"]["mean"] == 1.0
    assert rows["default: links ignored"]["lenient"]["1"]["mean"] == 1.0
    assert len(rows) == len(Variant)
    assert [one["commits"] for one in found["advisories"]] == [5, 5, 5]
    assert "## Costs" in page.read_text("utf-8")


def test_the_paper_is_measured_beside_it(table: Path, tmp_path: Path) -> None:
    arguments = [
        "eval",
        "tracing",
        "--data",
        str(table),
        "--repos",
        str(tmp_path / "repos"),
        "--preset",
        "paper",
    ]

    result = CliRunner().invoke(
        build_app(), [*arguments, "--no-ablations", "--index", str(tmp_path / "index")]
    )

    assert "paper: links ignored" in result.stdout
    assert len(list((tmp_path / "index").iterdir())) == 3


def test_fitted_weights_are_printed(table: Path, tmp_path: Path) -> None:
    arguments = ["eval", "tracing", "--data", str(table), "--repos", str(tmp_path / "repos"), "--fit"]

    weights = json.loads(CliRunner().invoke(build_app(), arguments).stdout)

    assert weights["document"] > 0


def test_a_history_cut_before_the_fix_cannot_hold_it(tmp_path: Path) -> None:
    fix, _ = build_repository(tmp_path / "repos" / "o" / "one", "one")
    cases = read_cases(write(tmp_path / "d.csv", [build_row(published="2019-01-01", fix_commits=fix)]))
    bench = Bench(cases, tmp_path / "repos", tmp_path / "index")

    lessons = bench.lessons((Variant.CUT,))
    placed = bench.placed((Variant.CUT,), {})

    assert lessons[Variant.CUT].queries == ()
    assert [(one.strict, one.margin) for one in placed[Variant.CUT]] == [(None, 0.0)]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (build_row(fix_commits=""), "names no fix commit"),
        (build_row(published="soon", fix_commits="a"), "published is no date"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: dict[str, str], said: str) -> None:
    with pytest.raises(EvaluationError, match=rf"d\.csv line 2.*{said}"):
        read_cases(write(tmp_path / "d.csv", [row]))


def test_a_table_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a,b\n1,2\n", "utf-8")

    with pytest.raises(EvaluationError, match="has no column advisory"):
        read_cases(tmp_path / "d.csv")
    with pytest.raises(EvaluationError, match=r"cannot read none\.csv"):
        read_cases(tmp_path / "none.csv")


def test_repositories_are_found_in_every_usual_place(tmp_path: Path) -> None:
    for place in ("o+one/repo", "o/two", "three.git"):
        Workshop(tmp_path / place)

    assert find_repository(tmp_path, "o/one") == tmp_path / "o+one" / "repo"
    assert find_repository(tmp_path, "o/two") == tmp_path / "o" / "two"
    assert find_repository(tmp_path, "x/three") == tmp_path / "three.git"
    with pytest.raises(EvaluationError, match="clone it to o/four"):
        find_repository(tmp_path, "o/four")


def test_what_cannot_be_measured_is_one_line(table: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    result = CliRunner().invoke(
        build_app(), ["eval", "tracing", "--data", str(table), "--repos", str(tmp_path / "empty")]
    )

    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "o/one is not in empty" in result.stderr


def test_a_fix_that_the_clone_lacks_is_said(tmp_path: Path) -> None:
    build_repository(tmp_path / "repos" / "o" / "one", "one")
    cases = read_cases(write(tmp_path / "d.csv", [build_row(fix_commits="f" * 40)]))

    with pytest.raises(EvaluationError, match="no recorded fix is in the clone of o/one"):
        Bench(cases, tmp_path / "repos", tmp_path / "index").lessons((Variant.FULL,))
