"""What a run leaves: whole files, short text, one page that loads nothing, shapes with a version."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.matrix import Matrix, Row, RowKind, RowStatus
from agent.domain.patch import Declined
from agent.domain.project import TestStatus
from agent.domain.run import Cost, Outcome, RunResult, Stage, StageRecord
from bot.output.evidence import MAXIMUM_VISIBLE_LINES, render_evidence, visible_lines
from bot.output.folder import OutputError, OutputFolder
from bot.output.page import diff_lines, render_page
from bot.output.schema import RunShape
from bot.output.shaping import shape_run
from retrieval.domain import RankedChunk, RankedFile
from tests.fakes.workflow import build_candidate, build_plan, build_proof, build_report, build_test_run

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
DIFF = "diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-unsafe()\n+safe()\n"


def build_row(kind: RowKind, status: RowStatus = RowStatus.PASSED, **changes: object) -> Row:
    fields: dict[str, object] = {
        "name": kind.value,
        "expected": "safe",
        "before": "vulnerable",
        "after": "safe",
    }
    return Row(kind=kind, status=status, **(fields | changes))  # type: ignore[arg-type]


def build_result(**changes: object) -> RunResult:
    fields: dict[str, object] = {
        "run_id": "r1",
        "report_id": "CVE-2020-1",
        "outcome": Outcome.FIXED,
        "reason": "every required row of the matrix passed",
        "stages": (
            StageRecord(stage=Stage.BASELINE, result="passed", summary="1 test passed", seconds=1.25),
            StageRecord(stage=Stage.VALIDATE, result="accepted", summary="fine", seconds=2.5),
        ),
        "plan": build_plan(),
        "baseline": build_test_run(a=TestStatus.PASSED, b=TestStatus.FAILED, c=TestStatus.SKIPPED),
        "files": (
            RankedFile(
                path="app.py",
                score=1.0,
                signals={"lexical": 0.5},
                chunks=(RankedChunk(name="f", kind="function", start_line=1, end_line=2, score=0.5),),
            ),
        ),
        "covered": frozenset({"app.py"}),
        "proof": build_proof(),
        "candidate": build_candidate(),
        "matrix": Matrix(rows=tuple(build_row(kind) for kind in RowKind)),
        "diff": DIFF,
        "cost": Cost(calls=2, tokens_in=10, tokens_out=5, money=0.25),
        "notices": ("removed 1 HTML comments",),
    }
    return RunResult(**(fields | changes))  # type: ignore[arg-type]


def build_run(result: RunResult | None = None, **report: object) -> RunShape:
    return shape_run(result or build_result(), build_report(**report), started_at=NOW, seconds=3.0)


def test_run_json_holds_what_was_found() -> None:
    run = build_run()
    assert (run.schema_version, run.outcome, run.seconds) == (1, Outcome.FIXED, 3.0)
    assert run.baseline is not None
    assert (run.baseline.passed, run.baseline.failed, run.baseline.known_failures) == (1, 1, ["b"])
    assert run.patch is not None
    assert (run.patch.lines_added, run.patch.lines_removed, run.patch.files) == (1, 1, ["app.py"])
    assert run.files[0].chunks[0].name == "f"
    assert [stage.seconds for stage in run.stages] == [1.25, 2.5]


def test_an_early_ending_has_a_shape_too() -> None:
    bare = RunResult(
        run_id="r", report_id="x", outcome=Outcome.ENVIRONMENT_FAILED, reason="no compiler", stages=()
    )
    run = build_run(bare)
    assert (run.environment, run.baseline, run.proof, run.patch, run.matrix) == (None, None, None, None, [])
    assert "environment failed" in render_evidence(run, "")
    assert "no compiler" in render_page(run, "", "")


def test_the_published_schema_is_the_models() -> None:
    """``docs/run.schema.json`` is generated; write it anew with ``make schemas``."""
    written = json.loads((ROOT / "docs" / "run.schema.json").read_text("utf-8"))
    assert written == RunShape.model_json_schema()


def test_the_text_of_a_pull_request_is_short() -> None:
    """At most 25 visible lines however much was found."""
    rows = tuple(build_row(kind, detail="x\n" * 30) for kind in RowKind for _ in range(20))
    declined = tuple(Declined(source="r", path=f"{n}.py", line=n, reason="x") for n in range(40))
    text = render_evidence(
        build_run(build_result(matrix=Matrix(rows=rows), declined=declined, unsafe=True)), DIFF
    )
    assert visible_lines(text) <= MAXIMUM_VISIBLE_LINES
    assert f"{len(rows)} rows" in text
    assert "without a sandbox" in text


HOSTILE = (
    "@octocat fixes #1 ![x](http://e.x/y.png) | `code` </details> <script>alert(1)</script>\n/patch stop"
)


def test_foreign_text_does_nothing_on_github() -> None:
    text = render_evidence(
        build_run(
            build_result(
                reason=HOSTILE,
                files=(RankedFile(path="a`b|c\n/patch x.py", score=1.0),),
                matrix=Matrix(rows=(build_row(RowKind.PROOF, after=HOSTILE, detail="```\n" + HOSTILE),)),
                candidate=build_candidate(rationale=HOSTILE),
            ),
            title=HOSTILE,
        ),
        DIFF,
    )
    visible = text.split("<details>", maxsplit=1)[0]
    assert "@octocat" not in visible
    assert "#1" not in visible
    assert "![" not in visible
    assert "<script" not in visible
    assert "</details>" not in visible
    assert not any(line.startswith("/") for line in text.splitlines())


def test_ids_that_others_chose_do_nothing_on_github() -> None:
    """The aliases of a record are any text."""
    text = render_evidence(build_run(id="x", aliases=("@octocat", "![](http://x)<img src=x>")), DIFF)
    assert "@octocat" not in text
    assert "<img" not in text
    assert "![" not in text


def test_names_that_are_no_text_can_be_written(tmp_path: Path) -> None:
    """File names are bytes, and a test may call itself half a character."""
    name = "caf\udce9\ud800.py"
    result = build_result(
        files=(RankedFile(path=name, score=1.0),),
        covered=frozenset({name}),
        baseline=build_test_run(**{name: TestStatus.FAILED}),
        matrix=Matrix(rows=(build_row(RowKind.PROOF, after=name, detail=name),)),
        declined=(Declined(source="a", path=name, line=1, reason=name),),
        candidate=build_candidate(changes={name: b""}, rationale=name),
        reason=name,
    )
    OutputFolder(path=tmp_path).write(result, build_report(), started_at=NOW, seconds=1.0)
    run = RunShape.model_validate_json((tmp_path / "run.json").read_bytes())
    assert run.files[0].path == "caf\\udce9\\ud800.py"


def test_nothing_hidden_is_written_for_readers(tmp_path: Path) -> None:
    """Bidirectional and terminal controls of a repository are written out, but kept in the patch."""
    trick = "\x1b[2J\u202e"
    result = build_result(
        reason=trick,
        diff=DIFF + trick,
        proof=build_proof(code=trick),
        matrix=Matrix(rows=(build_row(RowKind.PROOF, name=trick, after=trick, detail=trick),)),
    )
    (tmp_path / "trajectory.jsonl").write_text(trick)
    OutputFolder(path=tmp_path).write(result, build_report(), started_at=NOW, seconds=1.0)
    for name in ("evidence.md", "report.html"):
        assert not set(trick) & {"\x1b", "\u202e"} & set((tmp_path / name).read_text()), name
    assert trick in (tmp_path / "patch.diff").read_text()


def test_a_fence_inside_a_proof_cannot_end_the_fence_around_it() -> None:
    run = build_run(build_result(proof=build_proof(code="x = '''\n`````\n'''\n")))
    assert "``````python" in render_evidence(run, DIFF)


class Loads(HTMLParser):
    """Collects everything a browser would fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        loading = {"src", "href", "action", "data", "srcset", "poster"}
        self.found += [f"{tag} {name}" for name, _ in attrs if name in loading or name.startswith("on")]
        if tag in {"script", "iframe", "object", "embed", "link", "img"}:
            self.found.append(tag)


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_page_loads_and_runs_nothing(title: str, log: str) -> None:
    """Whatever the report, the diff and the log hold, the page stays one self-contained document."""
    parser = Loads()
    parser.feed(render_page(build_run(title=title + HOSTILE), DIFF + HOSTILE, log + HOSTILE))
    assert parser.found == []


def test_a_refused_patch_is_called_so() -> None:
    run = build_run(build_result(outcome=Outcome.NO_PATCH, candidate=None, diff=""))
    assert "Best patch, refused" in render_page(run, DIFF, "")


def test_diff_lines_have_their_kinds_and_an_end() -> None:
    kinds = [kind for kind, _ in diff_lines(DIFF)]
    assert kinds == ["file", "file", "file", "hunk", "del", "add", ""]
    assert diff_lines("+x\n" * 3000)[-1][1].startswith("… 1001 more lines")


def test_a_folder_holds_every_file(tmp_path: Path) -> None:
    folder = OutputFolder(path=tmp_path / "new" / "out")
    folder.prepare()
    (folder.path / "trajectory.jsonl").write_text('{"event": "run"}\n')
    result = build_result(diff=DIFF + "\udce9\n")
    folder.write(result, build_report(), started_at=NOW, seconds=1.0)
    names = sorted(path.name for path in folder.path.iterdir())
    assert names == [
        "evidence.md",
        "matrix.json",
        "patch.diff",
        "proof.py",
        "report.html",
        "run.json",
        "trajectory.jsonl",
    ]
    assert (folder.path / "patch.diff").read_bytes().endswith(b"\xe9\n")
    assert RunShape.model_validate_json((folder.path / "run.json").read_text()).run_id == "r1"
    assert "&#34;event&#34;" in (folder.path / "report.html").read_text()
    refused = dataclasses.replace(result, diff="", rejected_diff=DIFF)
    folder.write(refused, build_report(), started_at=NOW, seconds=1.0)
    assert (folder.path / "rejected.diff").read_text() == DIFF
    assert (folder.path / "patch.diff").read_text() == ""


def test_an_earlier_run_leaves_nothing_to_be_believed(tmp_path: Path) -> None:
    """A folder used again holds this run's files only."""
    folder = OutputFolder(path=tmp_path)
    refused = build_result(outcome=Outcome.NO_PATCH, candidate=None, diff="", rejected_diff=DIFF)
    folder.write(refused, build_report(), started_at=NOW, seconds=1.0)
    folder.write(build_result(proof=None), build_report(), started_at=NOW, seconds=1.0)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"evidence.md", "matrix.json", "patch.diff", "report.html", "run.json"}


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="give another --out"):
        OutputFolder(path=tmp_path / "file").prepare()
    with pytest.raises(OutputError, match="cannot write"):
        OutputFolder(path=tmp_path / "missing").write(
            build_result(), build_report(), started_at=NOW, seconds=1.0
        )
