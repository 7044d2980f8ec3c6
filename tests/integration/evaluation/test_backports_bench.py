"""Recorded cherry-picks are done again and compared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from bot.cli import build_app
from evaluation.backports import Verdict, recorded, replayed
from retrieval.git import GitRepository
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path

LINES = "".join(f"line {number}\n" for number in range(30))


def build_repository(path: Path) -> Workshop:
    """Return a repository with three recorded picks: a clean one, one that was changed, one that conflicted."""
    made = Workshop(path)
    made.commit({"a.py": LINES, "b.py": "b\n"}, "Begin")
    made.git("branch", "stable")
    names = [
        made.commit({"a.py": LINES.replace("line 2\n", "two\n")}, "Two"),
        made.commit({"a.py": LINES.replace("line 2\n", "two\n").replace("line 20\n", "twenty\n")}, "Twenty"),
        made.commit({"b.py": "bb\n"}, "B"),
    ]
    made.git("checkout", "-q", "stable")
    made.git("cherry-pick", "-x", names[0])
    made.commit(
        {"a.py": LINES.replace("line 2\n", "two\n").replace("line 20\n", "20!\n")},
        f"Twenty\n\n(cherry picked from commit {names[1]})",
    )
    made.commit({"b.py": "other\n"}, "Other")
    made.commit({"b.py": "other bb\n"}, f"B\n\n(cherry picked from commit {names[2]})")
    made.commit({"b.py": "c\n"}, f"C\n\n(cherry picked from commit {'f' * 40})")
    made.git("checkout", "-q", "main")
    return made


def test_each_recorded_pick_gets_its_verdict(tmp_path: Path) -> None:
    repository = GitRepository(build_repository(tmp_path / "work").path)

    found = list(replayed(repository, recorded(repository, 10)))

    assert [one.verdict for one in found] == [Verdict.CONFLICT, Verdict.OTHER, Verdict.SAME]
    assert [one.same_files for one in found] == [True, True, True]


def test_no_more_are_taken_than_asked_for(tmp_path: Path) -> None:
    repository = GitRepository(build_repository(tmp_path / "work").path)

    assert len(recorded(repository, 2)) == 2


def test_the_command_counts_verdicts(tmp_path: Path) -> None:
    workshop = build_repository(tmp_path / "work")

    plain = CliRunner().invoke(build_app(), ["eval", "backports", str(workshop.path)])
    values = CliRunner().invoke(build_app(), ["eval", "backports", str(workshop.path), "--json"])
    wrong = CliRunner().invoke(build_app(), ["eval", "backports", str(tmp_path)])

    assert "   1  the same patch" in plain.stdout
    assert len(json.loads(values.stdout)["backports"]) == 3
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
