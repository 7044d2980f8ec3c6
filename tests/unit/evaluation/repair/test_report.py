from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from evaluation.ports import RepairerFacts
from evaluation.repair.case import Amendment
from evaluation.repair.comparison import Change, compare, read_stored
from evaluation.repair.conditions import Conditions, Shown
from evaluation.repair.errors import ResultsError
from evaluation.repair.phases import PhaseStatus
from evaluation.repair.plots import bars
from evaluation.repair.report import Measurement, write_report
from evaluation.repair.stored import PhaseShape
from evaluation.repair.summary import duel
from evaluation.repair.taxonomy import Ending
from tests.repair_cases import build_case, build_finding, build_phases, build_result

if TYPE_CHECKING:
    from pathlib import Path

FACTS = RepairerFacts(
    name="Plain <agent>",
    version="1",
    model="m",
    model_cutoff="2024-01-01",
    prices="1 $ a million",
    prompts={"author": "sha256:12"},
    tools=("shell",),
    network="model endpoint only",
    sandbox="bubblewrap",
)


def build_measurement(**changes: object) -> Measurement:
    cases = [
        build_case(id="C-0"),
        build_case(id="C-1", amendments=(Amendment(reason="a | b", fields=("title",)),)),
    ]
    failed = [PhaseShape.of(phase) for phase in build_phases(regression=PhaseStatus.FAILED)]
    results = [
        build_result(case_id="C-0", money=0.5),
        build_result(
            case_id="C-1",
            ending=Ending.REGRESSION,
            reason="<b>a|b\nc</b>",
            phases=failed,
            findings=[build_finding()],
        ),
    ]
    known: dict[str, object] = {
        "cases": cases,
        "results": results,
        "facts": FACTS,
        "conditions": Conditions(proof=Shown.HIDDEN),
        "machine": "a machine",
        "date": "2024-05-06",
        "command": "suture eval repair",
    }
    return Measurement(**(known | changes))  # type: ignore[arg-type]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    measurement = build_measurement()
    write_report(
        tmp_path,
        build_measurement(
            against="the plain agent",
            duel=duel(measurement.results, measurement.results[:1]),
            changes=[Change(case_id="C-1", text="resolved 100% of its runs before, 0% now", worse=True)],
        ),
    )
    return tmp_path


def test_the_three_forms_say_the_same(written: Path) -> None:
    values = json.loads((written / "report.json").read_text("utf-8"))

    assert (values["summary"]["resolved"]["passed"], values["summary"]["cases"]) == (1.0, 2)
    for name in ("report.md", "report.html"):
        assert "1 of 2 cases resolved" in (written / name).read_text("utf-8")


def test_the_checklist_has_every_item(written: Path) -> None:
    """Prompts with hashes, tools, network, provenance, oracle, failures, model, prices, date: none may be missing."""
    values = json.loads((written / "report.json").read_text("utf-8"))

    assert set(values["checklist"]) >= {
        *("model, cut-off, prices", "prompts with hashes", "tools", "build instructions", "proof of concept"),
        *("network scope", "history and source", "permissions", "hidden sub-calls", "time limits"),
        *("test collisions", "oracle", "denominator", "leak audit"),
    }
    assert values["checklist"]["prompts with hashes"] == "author sha256:12"
    assert values["checklist"]["proof of concept"].startswith("hidden")
    assert values["checklist"]["leak audit"] == "1 runs marked: C-1, run 1"
    assert values["date"] == "2024-05-06"


def test_tables_survive_what_stands_in_them(written: Path) -> None:
    rows = [
        line for line in (written / "report.md").read_text("utf-8").splitlines() if line.startswith("| C-")
    ]

    assert {len(re.findall(r"\|", row)) for row in rows} == {14}


def test_the_page_is_escaped_and_fetches_nothing(written: Path) -> None:
    page = (written / "report.html").read_text("utf-8")

    assert "<b>a|b" not in page
    assert "Plain &lt;agent&gt;" in page
    assert re.findall(r"(?:src|href)=", page) == []
    assert "default-src 'none'" in page


def test_the_page_is_well_formed(written: Path) -> None:
    page = (written / "report.html").read_text("utf-8")
    stack: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in {"meta", "line", "circle", "rect"}:
                stack.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert stack.pop() == tag

    Reader().feed(re.sub(r"<(line|circle|rect)([^>]*)/>", r"<\1\2>", page))
    assert stack == []
    assert page.count("<svg") >= 3


def test_comparisons_are_shown(written: Path) -> None:
    page = (written / "report.md").read_text("utf-8")

    assert "## Against the plain agent" in page
    assert "- **worse** C-1: resolved 100% of its runs before, 0% now" in page
    assert "- C-1 (title): a | b" in page


def test_a_stored_report_is_compared_case_by_case(written: Path) -> None:
    now = [
        build_result(case_id="C-0", ending=Ending.PROOF, seconds=30),
        build_result(case_id="C-1", seconds=10),
        build_result(case_id="new"),
    ]

    changes = compare(read_stored(written / "report.json"), now)

    assert [(one.case_id, one.worse) for one in changes] == [("C-0", True), ("C-0", False), ("C-1", False)]
    assert "3.0 times as long" in changes[1].text


def test_the_same_results_are_no_change(written: Path) -> None:
    assert compare(read_stored(written / "report.json"), build_measurement().results) == ()


def test_a_case_that_is_gone_is_not_compared(written: Path) -> None:
    assert compare(read_stored(written / "report.json"), [build_result(case_id="other")]) == ()


@pytest.mark.parametrize("content", [None, "{}", "no json"])
def test_what_is_no_report_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "report.json"
    if content is not None:
        path.write_text(content)

    with pytest.raises(ResultsError, match="no report of this bench"):
        read_stored(path)


def test_plots_without_counts_are_empty_and_labels_escaped() -> None:
    assert "<rect" not in bars([])
    assert "&lt;a&gt;" in bars([("<a>", 1)])
