"""``suture trace`` as it is typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner, Result

from agent.domain.report import Report
from bot.cli import build_app
from bot.cli.trace import advisory_query
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path / "work")
    made.commit({"parse.py": "def parse():\n    pass\n"}, "Begin")
    made.git("tag", "v1.0")
    made.commit({"page.py": "p = 1\n"}, "Add a [page]")
    made.commit({"parse.py": "def parse():\n    check_size()\n"}, "Check the size in parse")
    made.git("tag", "v1.1")
    return made


def trace(workshop: Workshop, tmp_path: Path, advisory: object, *options: str) -> Result:
    path = tmp_path / "advisory.json"
    path.write_text(advisory if isinstance(advisory, str) else json.dumps(advisory), "utf-8")
    arguments = ["trace", str(workshop.path), "--advisory", str(path), "--index", str(tmp_path / "index")]
    return CliRunner().invoke(build_app(), [*arguments, *options])


def build_osv(**changed: object) -> dict[str, object]:
    given: dict[str, object] = {
        "id": "CVE-2020-1",
        "published": "2020-09-20T00:00:00Z",
        "summary": "parse() does not check the size",
        "details": "A large size crashes parse().",
        "affected": [
            {
                "package": {"ecosystem": "PyPI", "name": "work"},
                "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}],
            }
        ],
        "references": [],
    }
    return given | changed


def test_the_fix_comes_first_with_its_reasons_and_a_margin(workshop: Workshop, tmp_path: Path) -> None:
    result = trace(workshop, tmp_path, build_osv())

    assert result.exit_code == 0
    assert "Check the size in parse" in result.stdout.splitlines()[0]
    assert "[page]" in result.stdout
    assert "Margin of the first over the next change" in result.stdout


def test_json_stands_alone_and_holds_every_signal(workshop: Workshop, tmp_path: Path) -> None:
    found = json.loads(trace(workshop, tmp_path, build_osv(), "--json", "-k", "2").stdout)

    assert (found["schema"], found["searched"], found["explicit"], len(found["commits"])) == (1, 3, False, 2)
    assert found["commits"][0]["subject"] == "Check the size in parse"
    assert {"message", "window", "date"} <= found["commits"][0]["signals"].keys()


def test_a_link_is_followed_first_and_said(workshop: Workshop, tmp_path: Path) -> None:
    first = workshop.git("rev-parse", "HEAD~2")
    advisory = build_osv(references=[{"type": "FIX", "url": f"https://github.com/o/work/commit/{first}"}])

    followed = trace(workshop, tmp_path, advisory)
    ranked = json.loads(trace(workshop, tmp_path, advisory, "--ignore-links", "--json").stdout)

    assert first[:12] in followed.stdout.splitlines()[0]
    assert "named by the advisory itself" in followed.stdout
    assert (ranked["explicit"], ranked["commits"][0]["subject"]) == (False, "Check the size in parse")


def test_plain_markdown_without_dates_or_versions_is_enough(workshop: Workshop, tmp_path: Path) -> None:
    result = trace(workshop, tmp_path, "# Crash\n\nparse does not check the size.\n", "--preset", "paper")

    assert result.exit_code == 0
    assert "Check the size in parse" in result.stdout


def test_bad_input_is_one_line(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    advisory = tmp_path / "a.md"
    advisory.write_text("# Crash\n\nIt crashes.\n", "utf-8")
    plain = ["trace", str(tmp_path / "plain"), "--advisory", str(advisory)]
    absent = ["trace", str(workshop.path), "--advisory", str(tmp_path / "none.md")]

    for arguments, said in (
        (plain, "not a readable git repository"),
        (absent, "cannot read the report"),
    ):
        result = CliRunner().invoke(build_app(), arguments)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert said in result.stderr


def test_an_empty_repository_has_nothing_to_rank(tmp_path: Path) -> None:
    result = trace(Workshop(tmp_path / "empty"), tmp_path, build_osv())

    assert (result.exit_code, result.stdout) == (0, "The repository has no commits.\n")


def test_a_report_becomes_a_query() -> None:
    report = Report(
        id="CVE-1",
        title="T",
        body="B",
        aliases=("GHSA-1", "CVE-1"),
        fixed=("1.0",),
        references=("https://host/",),
    )

    query = advisory_query(report)

    assert (query.text, query.ids, query.fixed, query.links) == (
        "T\nB",
        ("CVE-1", "GHSA-1"),
        ("1.0",),
        ("https://host/",),
    )
