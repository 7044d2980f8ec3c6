"""The row for flaws that are the code itself: who gets one, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.domain.matrix import Row, RowKind, RowStatus
from agent.rules.registry import RULES
from agent.workflow.state import RunState
from agent.workflow.weakness import weakness_rows
from agent.workspace import open_workspace
from tests.fakes.workflow import build_candidate, build_proof, build_report
from tests.unit.agent.workflow.runs import build_tools

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from agent.ports import Rule

WEAK = "import ssl\n\n\ndef connect():\n    return ssl._create_unverified_context()\n"
CALLER = "from app import connect\n\n\ndef fetch(address):\n    return connect()\n"


async def rows(
    folder: Path,
    changes: dict[str, bytes | None],
    *,
    cwe: str = "CWE-295",
    rules: Sequence[Rule] = RULES,
    proved: bool = True,
) -> list[Row]:
    """Return the rows for a candidate on a project of two files, of which the proof ran both."""
    (folder / "app.py").write_text(WEAK)
    (folder / "caller.py").write_text(CALLER)
    state = RunState(
        report=build_report(cwes=(cwe,)),
        proof=build_proof(code="fetch('https://x')") if proved else None,
        covered=frozenset({"app.py", "caller.py"}) if proved else frozenset(),
    )
    with open_workspace(folder, parent=folder.parent) as workspace:
        return await weakness_rows(
            build_candidate(changes=changes), state, build_tools(workspace, rules=rules)
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


async def test_a_hidden_symptom_fails_the_row(folder: Path) -> None:
    hidden = CALLER.replace("    return", "    if address == 'https://x':\n        return None\n    return")
    (row,) = await rows(folder, {"caller.py": hidden.encode()})
    assert (row.kind, row.status, row.required) == (RowKind.WEAKNESS, RowStatus.FAILED, True)
    assert (row.before, row.after) == ("found in app.py:5", "still found in app.py:5")
    assert row.expected == "tls-verification finds nothing more where it found something"


async def test_a_fix_passes_it_with_and_without_a_proof(folder: Path) -> None:
    changes: dict[str, bytes | None] = {
        "app.py": WEAK.replace("_create_unverified_context", "create_default_context").encode()
    }
    for proved in (True, False):
        (row,) = await rows(folder, changes, proved=proved)
        assert (row.status, row.after) == (RowStatus.PASSED, "nothing found")


async def test_a_deleted_or_new_file_is_no_trouble(folder: Path) -> None:
    (row,) = await rows(folder, {"app.py": None, "new.py": b"x = 1\n"})
    assert row.status is RowStatus.PASSED


async def test_there_is_no_row_for_other_weaknesses_or_without_rules(folder: Path) -> None:
    assert await rows(folder, {"caller.py": b""}, cwe="CWE-79") == []
    assert await rows(folder, {"caller.py": b""}, rules=()) == []


async def test_many_places_are_counted(folder: Path) -> None:
    many = "import ssl\n" + "ssl._create_unverified_context()\n" * 5
    (row,) = await rows(
        folder, {"app.py": many.encode(), "caller.py": CALLER.replace("return", "assert").encode()}
    )
    assert row.after == "still found in app.py:2, app.py:3, app.py:4 and 2 more"
