"""The bench end to end on small repositories, and the cost of an index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from bot.cli import build_app
from bot.cli.eval_index import GROWTH
from evaluation.index_speed import CHANGED, measure_growth, measure_speed
from evaluation.localization_ranks import BEGIN as RANKS_BEGIN
from evaluation.localization_ranks import END as RANKS_END
from evaluation.localization_report import BEGIN, END
from tests.repair_cases import real_case
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path


def build_bench(tmp_path: Path) -> list[str]:
    """Make two repositories with two cases each and return the command."""
    rows = []
    for name in ("o/one", "o/two"):
        workshop = Workshop(tmp_path / "repos" / name)
        base = workshop.commit(
            {
                "lib/cookie.py": "def parse_cookie(): ...\n",
                "lib/paint.py": "def paint(): ...\n",
                "README.md": "# x\n",
            },
            "Begin",
        )
        for number, (title, path) in enumerate(
            (("Cookie parser", "lib/cookie.py"), ("Paint fails", "lib/paint.py"))
        ):
            row = {"instance_id": f"{name}-{number}".replace("/", "-"), "repo": name, "base_commit": base}
            rows.append({**row, "problem_statement": title, "gold_files": [path]})
        workshop.commit({"lib/later.py": "cookie parser paint fails\n"}, "Fix cookie parser and paint")
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "past.jsonl").write_text(
        "\n".join(json.dumps({**row, "base_commit_date": 1}) for row in rows)
    )
    options = {"data": "cases.jsonl", "history": "past.jsonl", "repos": "repos", "work": "work"}
    paths = [part for name, value in options.items() for part in (f"--{name}", str(tmp_path / value))]
    return ["eval", "localization", *paths]


def test_the_bench_measures_resumes_and_writes_into_a_document(tmp_path: Path) -> None:
    command = build_bench(tmp_path)
    first = CliRunner().invoke(build_app(), [*command, "--engines", "--all-files", "--json"])
    kept = sorted(path.stat().st_mtime_ns for path in (tmp_path / "work").glob("measured/*/*"))
    second = CliRunner().invoke(build_app(), [*command, "--engines", "--all-files", "--json"])
    (tmp_path / "page.md").write_text(f"{BEGIN}\n{END}\n")
    written = CliRunner().invoke(build_app(), [*command, "--fit", "--into", str(tmp_path / "page.md")])
    refused = CliRunner().invoke(build_app(), [*command, "--into", str(tmp_path / "cases.jsonl")])

    told = json.loads(first.stdout)
    assert [row["name"] for row in told["figures"]][-3:] == ["rank-bm25", "bm25s", "ours"]
    assert told["figures"][0]["recall"]["1"]["mean"] == 1.0
    assert told["whole"][0]["cases"] == 4
    assert json.loads(second.stdout) == told
    assert (
        sorted(path.stat().st_mtime_ns for path in (tmp_path / "work").glob("measured/*/*"))[: len(kept)]
        == kept
    )
    assert written.exit_code == 0
    assert "| paper | 4 |" in (tmp_path / "page.md").read_text()
    assert (refused.exit_code, "needs the lines" in refused.stderr) == (2, True)


def test_an_update_after_a_small_change_costs_less_than_the_index(tmp_path: Path) -> None:
    grown = measure_growth(300, tmp_path)
    again = measure_speed(tmp_path / "repository-300", tmp_path / "again")

    assert (grown.files, again.files, CHANGED) == (300, 300, 5)
    assert 0 < grown.change < grown.cold
    assert 0 < grown.query < grown.load
    assert again.megabytes > 0


def test_the_cost_is_printed_as_a_table(tmp_path: Path) -> None:
    result = CliRunner().invoke(build_app(), ["eval", "index", "--sizes", "20,40"])
    wrong = CliRunner().invoke(build_app(), ["eval", "index", "--sizes", "many"])

    assert [line.split(" | ")[0] for line in result.stdout.splitlines()[2:]] == ["| 20", "| 40"]
    assert (wrong.exit_code, "--sizes many" in wrong.stderr) == (2, True)


def test_security_cases_are_ranked_and_written_between_their_markers(tmp_path: Path) -> None:
    """The fix of the case changes the package's only module; no later commit than the vulnerable one speaks."""
    cases, repositories = real_case(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f"before\n{RANKS_BEGIN}\nold\n{RANKS_END}\nafter\n")
    asked = ["eval", "localization", "--cases", cases, "--repos", repositories, "--work", tmp_path / "work"]

    written = CliRunner().invoke(build_app(), [*map(str, asked), "--into", str(page)])
    told = CliRunner().invoke(build_app(), [*map(str, asked), "--json"])

    assert (written.exit_code, told.exit_code) == (0, 0)
    assert json.loads(told.stdout)["cases"] == [
        {"id": "SHELF-1", "repository": "acme/shelf", "rank": 1, "file": "shelf/__init__.py"}
    ]
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1], "old" in lines) == ("before", "after", False)
    assert "| SHELF-1 | acme/shelf | 1 | `shelf/__init__.py` |" in lines


def test_the_growth_of_the_index_is_written_between_its_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("\n".join(("before", *GROWTH, "after")))

    result = CliRunner().invoke(build_app(), ["eval", "index", "--sizes", "20", "--into", str(page)])
    without = CliRunner().invoke(
        build_app(), ["eval", "index", "--sizes", "20", "--into", str(tmp_path / "x")]
    )

    assert (result.exit_code, without.exit_code) == (0, 2)
    assert "cannot be written" in without.stderr
    assert page.read_text().count("| 20 | ") == 1
