"""Cases of the repair bench for tests: builders of its types, and a small real case on disk."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import yaml

from agent.domain.execution import Execution, KillReason
from agent.domain.run import Outcome
from evaluation.repair.case import Case, FixSize, Language
from evaluation.repair.memory import Recall
from evaluation.repair.phases import OraclePhase, PhaseResult, PhaseStatus
from evaluation.repair.results import FindingShape, ResultShape
from evaluation.repair.stored import PhaseShape
from evaluation.repair.taxonomy import Ending
from tests.projects import PYTHON
from tests.repositories import Workshop

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FIXED_LINE = "    if os.path.relpath(path, folder).startswith(os.pardir):  # stay below the folder"
FIXED = PYTHON["shelf/__init__.py"].replace(
    "    with open(path)", f'{FIXED_LINE}\n        raise ValueError("out")\n    with open(path)'
)
DEVELOPER_TEST = (
    PYTHON["tests/test_shelf.py"]
    + """
    def test_refuses_what_is_outside(self):
        with self.assertRaises(ValueError):
            shelf.read("/tmp", "../etc/hostname")
"""
)
PROOF = """import os, sys, tempfile, shelf
base = tempfile.mkdtemp()
os.mkdir(os.path.join(base, "docs"))
for name in ("secret.txt", "docs/a.txt"):
    with open(os.path.join(base, name), "w") as f: f.write(name)
if shelf.read(os.path.join(base, "docs"), "a.txt") != "docs/a.txt": sys.exit(2)
try:
    shelf.read(os.path.join(base, "docs"), "../secret.txt")
except ValueError:
    sys.exit(1)
sys.exit(0)
"""
TESTS = "python3 -m unittest tests.test_shelf"
CHANGES = "1.1: work\n1.0.1: SHELF-1, path traversal in read\n1.0: first\n"


def build_case(**changes: object) -> Case:
    fields: dict[str, object] = {
        "id": "SHELF-1",
        "title": "Path traversal",
        "cwe": "CWE-22",
        "repo": "acme/shelf",
        "vulnerable_commit": "a" * 40,
        "fix_commit": "b" * 40,
        "fix_date": date(2024, 1, 2),
        "language": Language.PYTHON,
        "fixed_files": ("shelf/__init__.py",),
        "test_files": ("tests/test_shelf.py",),
        "size": FixSize(files=1, hunks=1, lines_added=2, lines_removed=0),
        "regression_test": TESTS,
        "developer_test": TESTS,
        "advisory": "# Path traversal in read\n\n`read` follows `..`.",
        "proof_name": "poc.py",
        "proof": PROOF,
    }
    return Case(**(fields | changes))  # type: ignore[arg-type]


def build_phase(
    phase: OraclePhase, status: PhaseStatus = PhaseStatus.PASSED, reason: str = "because"
) -> PhaseResult:
    return PhaseResult(phase=phase, status=status, reason=reason)


def build_phases(**statuses: PhaseStatus) -> tuple[PhaseResult, ...]:
    """Return four results, all passed but for those named."""
    return tuple(
        build_phase(phase, statuses.get(phase.value, PhaseStatus.PASSED), f"{phase.value} said so")
        for phase in OraclePhase
    )


def build_result(**changes: object) -> ResultShape:
    fields: dict[str, object] = {
        "schema_version": 1,
        "case_id": "SHELF-1",
        "repetition": 1,
        "digest": "d",
        "started_at": "2024-01-02T03:04:05Z",
        "seconds": 10.0,
        "oracle_seconds": 5.0,
        "tries": 1,
        "ending": Ending.RESOLVED,
        "reason": "all four phases passed",
        "outcome": Outcome.FIXED,
        "reproduced": True,
        "source": "a-rule",
        "changed": ["shelf/__init__.py"],
        "rank": 1,
        "phases": [PhaseShape.of(phase) for phase in build_phases()],
        "calls": 0,
        "tokens_in": 0,
        "tokens_out": 0,
        "money": 0.0,
        "findings": [],
        "own_lines": 0,
        "unpriced_calls": 0,
        "recall": Recall.NOT_ASKED,
        "before_cutoff": None,
        "sanitised": {},
    }
    return ResultShape.model_validate(fields | changes)


def build_finding() -> FindingShape:
    return FindingShape(kind="network", where="event 1 (command)", text="curl http")


def build_end(exit_code: int | None = 0, *, stderr: str = "", killed: KillReason | None = None) -> Execution:
    return Execution(
        argv=("t",), exit_code=exit_code, stdout="", stderr=stderr, seconds=1.0, killed_by=killed
    )


def case_mapping(**changes: object) -> dict[str, object]:
    """Return what a ``case.yaml`` holds."""
    known: dict[str, object] = {
        "id": "SHELF-1",
        "cwe": "CWE-22",
        "title": "Path traversal",
        "repo": "acme/shelf",
        "vulnerable_commit": "a" * 40,
        "fix_commit": "b" * 40,
        "fix_date": "2024-01-02",
        "language": "python",
        "gold_files": ["shelf/__init__.py"],
        "test_files": ["tests/test_shelf.py"],
        "gold_stats": {"files": 1, "hunks": 1, "lines_added": 2, "lines_removed": 0},
        "regression_test": TESTS,
        "developer_test": TESTS,
        "poc": "poc.py",
    }
    return known | changes


def write_case(root: Path, mapping: Mapping[str, object], *, proof: str = PROOF) -> Path:
    """Write a case's folder below ``root`` and return ``root``."""
    folder = root / str(mapping["id"])
    folder.mkdir(parents=True)
    (folder / "case.yaml").write_text(yaml.safe_dump(dict(mapping)), "utf-8")
    (folder / "advisory.md").write_text("# Path traversal in read\n\n`read` follows `..`.\n", "utf-8")
    (folder / "poc.py").write_text(proof, "utf-8")
    return root


def real_case(root: Path, **changes: object) -> tuple[Path, Path]:
    """Write a repository with the flaw and its fix, and the case; return the folders of cases and repositories."""
    workshop = Workshop(root / "repos" / "acme" / "shelf")
    vulnerable = workshop.commit({**PYTHON, "CHANGES.txt": CHANGES}, "shelf 1.0")
    fix = workshop.commit(
        {"shelf/__init__.py": FIXED, "tests/test_shelf.py": DEVELOPER_TEST}, "Stay below the folder"
    )
    workshop.git("tag", "v1.0.1")
    mapping = case_mapping(vulnerable_commit=vulnerable, fix_commit=fix, **changes)
    return write_case(root / "cases", mapping), root / "repos"
