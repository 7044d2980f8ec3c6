"""A fix is brought to another branch, or it is said exactly why not."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from agent.patches.backport import BackportError, Picked, backport
from bot.cli import build_app
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path

LINES = "".join(f"line {number}\n" for number in range(30))


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path / "work")
    made.commit({"a.py": LINES, "b.py": "b = 1\n"}, "Begin")
    made.git("branch", "1.x")
    made.commit({"b.py": "b = 2\n"}, "Change b")
    return made


def fix(workshop: Workshop, line: int = 25) -> str:
    return workshop.commit({"a.py": LINES.replace(f"line {line}\n", "checked\n")}, "Check the line")


def test_a_clean_pick_gives_a_patch_that_applies_and_keeps_its_origin(
    workshop: Workshop, tmp_path: Path
) -> None:
    name = fix(workshop)

    found = backport(workshop.path, name, "1.x")

    assert (found.outcome, found.files, found.conflicts) == (Picked.APPLIED, ("a.py",), ())
    assert f"(cherry picked from commit {name})".encode() in found.patch
    (tmp_path / "p.patch").write_bytes(found.patch)
    workshop.git("checkout", "-q", "1.x")
    workshop.git("apply", str(tmp_path / "p.patch"))
    assert "checked" in (workshop.path / "a.py").read_text("utf-8")


def test_the_repository_is_only_read(workshop: Workshop) -> None:
    name = fix(workshop)
    before = (
        workshop.git("for-each-ref"),
        workshop.git("status", "--porcelain"),
        workshop.git("worktree", "list"),
    )

    backport(workshop.path, name, "1.x")

    after = (
        workshop.git("for-each-ref"),
        workshop.git("status", "--porcelain"),
        workshop.git("worktree", "list"),
    )
    assert after == before


def test_a_change_that_was_picked_before_is_already_there(workshop: Workshop) -> None:
    name = fix(workshop)
    workshop.git("checkout", "-q", "1.x")
    workshop.git("cherry-pick", name)

    assert backport(workshop.path, name, "1.x").outcome is Picked.ALREADY_THERE
    assert backport(workshop.path, name, "main").reason == "main contains the commit"


def test_a_conflict_names_files_and_the_commands_to_do_it_by_hand(workshop: Workshop) -> None:
    workshop.git("checkout", "-q", "1.x")
    workshop.commit({"a.py": LINES.replace("line 25\n", "other\n")}, "Change the same line")
    workshop.git("checkout", "-q", "main")
    name = fix(workshop)

    found = backport(workshop.path, name, "1.x")

    assert (found.outcome, found.conflicts, found.patch) == (Picked.CONFLICT, ("a.py",), b"")
    assert found.commands[:2] == (
        f"git switch -c backport-{name[:12]}-1.x 1.x",
        f"git cherry-pick -x {name}",
    )
    workshop.git("switch", "-q", "-c", "by-hand", "1.x")
    with pytest.raises(subprocess.CalledProcessError):
        workshop.git("cherry-pick", "-x", name)
    assert workshop.git("diff", "--name-only", "--diff-filter=U") == "a.py"


def test_a_merge_is_picked_by_its_first_parent(workshop: Workshop) -> None:
    workshop.git("checkout", "-q", "-b", "side")
    fix(workshop)
    workshop.git("checkout", "-q", "main")
    workshop.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")

    found = backport(workshop.path, "main", "1.x")

    assert (found.outcome, found.files) == (Picked.APPLIED, ("a.py",))


def test_a_conflict_marker_is_never_given_out(workshop: Workshop) -> None:
    marked = LINES.replace("line 25\n", "<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n")
    name = workshop.commit({"a.py": marked}, "Commit a conflict")

    with pytest.raises(BackportError, match=r"conflict marker into a\.py"):
        backport(workshop.path, name, "1.x")


def test_an_empty_commit_changes_nothing(workshop: Workshop) -> None:
    name = workshop.commit({}, "Nothing")

    assert backport(workshop.path, name, "1.x").outcome is Picked.ALREADY_THERE


def test_programs_of_the_repository_are_not_run(workshop: Workshop, tmp_path: Path) -> None:
    """Neither its hooks nor the filters that its attributes ask for."""
    told = tmp_path / "told"
    for hook in ("post-checkout", "pre-commit", "prepare-commit-msg", "post-commit"):
        path = workshop.path / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {hook} >> {told}\n", "utf-8")
        path.chmod(0o755)
    workshop.git("config", "filter.spy.smudge", f"tee -a {told}")
    workshop.git("config", "merge.spy.driver", f"touch {told}")
    workshop.git("checkout", "-q", "1.x")
    workshop.commit({".gitattributes": "*.py filter=spy merge=spy\n"}, "Ask for programs")
    workshop.git("checkout", "-q", "main")
    name = fix(workshop)
    told.unlink(missing_ok=True)

    assert backport(workshop.path, name, "1.x").outcome is Picked.APPLIED
    assert not told.exists()


@pytest.mark.parametrize(("commit", "branch"), [("f" * 40, "1.x"), ("main", "none"), ("--help", "1.x")])
def test_what_is_not_there_is_said(workshop: Workshop, commit: str, branch: str) -> None:
    with pytest.raises(BackportError, match="it has no commit or branch"):
        backport(workshop.path, commit, branch)


def test_a_folder_without_repository_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    with pytest.raises(BackportError, match="cannot be used"):
        backport(tmp_path / "plain", "main", "main")
    with pytest.raises(BackportError, match="cannot be used"):
        backport(tmp_path / "none", "main", "main")


def test_the_command_writes_a_patch_a_branch(workshop: Workshop, tmp_path: Path) -> None:
    name = fix(workshop)
    arguments = ["backport", str(workshop.path), "--commit", name, "--onto", "1.x", "--onto", "main"]

    result = CliRunner().invoke(build_app(), [*arguments, "--out", str(tmp_path / "out")])

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "1.x: applied - picked onto 1.x without conflict",
        "main: already_there - main contains the commit",
    ]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["01-1.x.patch"]


def test_the_command_tells_a_wrong_branch_in_one_line(workshop: Workshop) -> None:
    result = CliRunner().invoke(
        build_app(), ["backport", str(workshop.path), "--commit", "main", "--onto", "none", "--json"]
    )

    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
