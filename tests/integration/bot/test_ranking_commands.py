"""``suture index`` and ``suture locate`` as they are typed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from bot.cli import build_app
from retrieval.files.store import FILE
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

FILES = {
    "lib/cookie.py": "def parse_cookie(header):\n    return header\n",
    "lib/paint.py": "def paint(canvas):\n    return canvas\n",
}

EVALUATE = ("eval", "localization", "--repos", "{tmp}", "--work", "{tmp}")


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = Workshop(tmp_path / "work")
    made.commit(FILES, "Begin")
    made.commit({"lib/cookie.py": FILES["lib/cookie.py"] + "\n"}, "Fix cookie header")
    (tmp_path / "report.md").write_text("# Cookie header is not checked\n\n`parse_cookie` trusts it.\n")
    return made


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build_app(), [str(one) for one in arguments])


def test_locate_prints_ranked_files_with_lines(workshop: Workshop, tmp_path: Path) -> None:
    result = run("locate", workshop.path, "--report", tmp_path / "report.md")

    assert result.exit_code == 0
    assert "lib/cookie.py" in result.stdout.splitlines()[1]
    assert "parse_cookie 1-2" in result.stdout


def test_explaining_names_signals_and_the_past_fix(workshop: Workshop, tmp_path: Path) -> None:
    result = run("locate", workshop.path, "--report", tmp_path / "report.md", "--explain", "-k", 1)

    assert "log_title=1.00" in result.stdout
    assert "Fix cookie header" in result.stdout


def test_json_is_versioned_and_whole(workshop: Workshop, tmp_path: Path) -> None:
    result = run("locate", workshop.path, "--report", tmp_path / "report.md", "--json", "--explain", "-k", 1)
    told = json.loads(result.stdout)

    assert (told["version"], told["notes"]) == (1, [])
    assert told["files"][0]["path"] == "lib/cookie.py"
    assert told["files"][0]["past"][0]["subject"] == "Fix cookie header"
    assert set(told["files"][0]) == {"path", "score", "signals", "chunks", "past"}


def test_a_former_commit_and_a_plain_folder_can_be_asked(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "cookie.py").write_text(FILES["lib/cookie.py"])

    former = run("locate", workshop.path, "--report", tmp_path / "report.md", "--at", "HEAD~1", "--json")
    plain = run("locate", tmp_path / "plain", "--report", tmp_path / "report.md")

    assert json.loads(former.stdout)["files"][0]["path"] == "lib/cookie.py"
    assert "note: no git history" in plain.stdout


def test_the_paper_preset_ranks_by_past_issues(workshop: Workshop, tmp_path: Path) -> None:
    issue = {
        "id": 1,
        "title": "Cookie header is not checked",
        "files": ["lib/paint.py"],
        "closed_at": "1999-01-01",
    }
    (tmp_path / "issues.jsonl").write_text(json.dumps(issue) + "\n")
    indexed = run("index", workshop.path, "--issues", tmp_path / "issues.jsonl")
    ranked = run("locate", workshop.path, "--report", tmp_path / "report.md", "--preset", "paper", "--json")

    assert (indexed.exit_code, "issues: 1" in indexed.stdout) == (0, True)
    signals = {one["path"]: one["signals"]["paper_issues"] for one in json.loads(ranked.stdout)["files"]}
    assert signals == {"lib/paint.py": 1.0, "lib/cookie.py": 0.0}


def test_issues_given_again_are_not_doubled(workshop: Workshop, tmp_path: Path) -> None:
    issues = [
        {"id": n, "title": f"t{n}", "files": ["lib/paint.py"], "closed_at": "1999-01-01"} for n in range(9)
    ]
    path = tmp_path / "issues.jsonl"
    path.write_text("\n".join(map(json.dumps, issues[:8])))
    first = run("index", workshop.path, "--issues", path, "--json")
    path.write_text("\n".join(map(json.dumps, issues)))
    second = run("index", workshop.path, "--issues", path, "--json")

    assert [json.loads(one.stdout)["issues"] for one in (first, second)] == [8, 9]


def test_indexing_twice_reads_nothing_twice_and_deleting_leaves_nothing(
    workshop: Workshop, tmp_path: Path
) -> None:
    folder = tmp_path / "index"
    first, second = (run("index", workshop.path, "--index", folder, "--json") for _ in range(2))
    deleted, again = (run("index", workshop.path, "--index", folder, "--delete") for _ in range(2))

    assert [json.loads(one.stdout)["contents"] for one in (first, second)] == [2, 0]
    assert (deleted.stdout, folder.exists()) == (f"deleted {folder}\n", False)
    assert again.stdout == f"there is no index in {folder}\n"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("endpoint", "the endpoint embedder needs a model"),
        ("fastembed", "fastembed is not installed"),
        ("sentence-transformers", "sentence-transformers is not installed"),
    ],
)
def test_the_operators_embedder_is_used_or_its_lack_told(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, message: str
) -> None:
    monkeypatch.setenv("SUTURE_EMBEDDER", kind)
    for package in ("fastembed", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, package, None)

    result = run("locate", workshop.path, "--report", tmp_path / "report.md")

    assert (result.exit_code, message in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("title", "path"),
    [
        ("tests/test_cookie.py fails", "tests/test_cookie.py"),
        ("templates/login.html leaks", "templates/login.html"),
    ],
)
def test_a_report_that_names_a_test_or_a_template_finds_it(
    workshop: Workshop, tmp_path: Path, title: str, path: str
) -> None:
    """Its place is among the first three of forty files, before sources that say nothing of the matter."""
    named = {"tests/test_cookie.py": "def test_it():\n    pass\n", "templates/login.html": "<p>login</p>\n"}
    others = {f"lib/other{number}.py": f"def other{number}(): ...\n" for number in range(36)}
    workshop.commit(named | others, "Add")
    (tmp_path / "named.md").write_text(f"# {title}\n")

    result = run("locate", workshop.path, "--report", tmp_path / "named.md", "--json", "-k", 3)

    assert path in [one["path"] for one in json.loads(result.stdout)["files"]]


def test_fitting_needs_two_hundred_past_fixes(workshop: Workshop) -> None:
    result = run("index", workshop.path, "--fit", "--json")

    assert json.loads(result.stdout)["fit"]["reason"] == "1 past fixes; at least 200 are needed"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("locate", "{work}/nowhere", "--report", "{tmp}/report.md"), "is not a folder"),
        (("locate", "{work}", "--report", "{tmp}/missing.md"), "cannot read the report"),
        (("locate", "{work}", "--report", "{tmp}/empty.md"), "is empty"),
        (("locate", "{work}", "--report", "{tmp}/large.md"), "larger than 1 MB"),
        (("locate", "{work}", "--report", "{tmp}/report.md", "--at", "nowhere"), "no commit 'nowhere'"),
        (("locate", "{work}", "--report", "{tmp}/report.md", "--preset", "best"), "choose one of default, paper"),
        (("locate", "{work}", "--report", "{tmp}/report.md", "--index", "{tmp}/broken"), "suture index --delete"),
        (("index", "{work}", "--issues", "{tmp}/report.md"), "line 1: each line needs"),
        (("index", "{tmp}/broken", "--at", "HEAD"), "leave --at out"),
        ((*EVALUATE, "--data", "{tmp}/report.md"), "line 1: not a JSON"),
        ((*EVALUATE, "--data", "{tmp}/case.jsonl"), "a/b is not in"),
        ((*EVALUATE, "--data", "{tmp}/none.jsonl"), "no case in"),
        ((*EVALUATE, "--data", "{tmp}/none.jsonl", "--alias", "x"), "--alias x"),
        ((*EVALUATE,), "one of --data and --cases"),
        ((*EVALUATE, "--data", "{tmp}/none.jsonl", "--cases", "{tmp}"), "one of --data and --cases"),
        ((*EVALUATE, "--cases", "{tmp}"), "holds no cases"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line_and_code_2(
    workshop: Workshop, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "empty.md").write_text(" \n")
    (tmp_path / "large.md").write_text("x" * (9 << 20))
    (tmp_path / "none.jsonl").write_text("\n")
    case = {
        "instance_id": "1",
        "repo": "a/b",
        "base_commit": "c",
        "problem_statement": "x",
        "gold_files": ["a"],
    }
    (tmp_path / "case.jsonl").write_text(json.dumps(case))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / FILE).write_bytes(b"no database" * 100)

    result = run(*(one.format(work=workshop.path, tmp=tmp_path) for one in arguments))

    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("suture: ")
    assert result.stderr.count("\n") == 1
