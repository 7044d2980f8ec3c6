"""The project is copied whole and never changed; nothing in it can lead outside."""

from __future__ import annotations

import errno
import hashlib
import os
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest

from agent.errors import ProjectError
from agent.workspace import copying, open_workspace

if TYPE_CHECKING:
    from pathlib import Path


EMPTY_BLOB = bytes.fromhex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_bytes(b"a\r\n")
    (root / "run.sh").write_text("true\n")
    (root / "run.sh").chmod(0o755)
    return root


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def test_a_plain_folder_is_copied(project: Path, tmp_path: Path) -> None:
    (project / "node_modules").mkdir()
    (project / "node_modules" / "x.js").write_text("x")
    with open_workspace(project, parent=tmp_path) as workspace:
        assert workspace.read("src/app.py") == b"a\r\n"
        assert workspace.executable("run.sh")
        assert not workspace.executable("src/app.py")
        assert not workspace.executable("missing")
        assert not (workspace.tree / "node_modules").exists()
        root = workspace.root
    assert not root.exists()


@pytest.mark.parametrize(
    ("without", "kept"), [("out", False), ("src/../out", False), ("outer", True), (".", True)]
)
def test_the_folder_of_results_is_no_part_of_the_project(
    project: Path, tmp_path: Path, without: str, kept: bool
) -> None:
    """Else the second run would rank, and maybe patch, what the first one wrote."""
    (project / "out").mkdir()
    (project / "out" / "proof.py").write_text("x")
    with open_workspace(project, parent=tmp_path, without=project / without) as workspace:
        assert (workspace.read("out/proof.py") is not None) == kept
        assert workspace.read("src/app.py") is not None


def test_a_checkout_is_copied_as_git_sees_it(project: Path, tmp_path: Path) -> None:
    """Tracked and new files, not ignored ones, never ``.git``; a deleted file is no error."""
    (project / ".gitignore").write_text("*.log\n")
    (project / "gone.py").write_text("x")
    git(project, "init")
    git(project, "add", ".")
    git(project, "commit", "-m", "x")
    (project / "gone.py").unlink()
    (project / "new.py").write_text("new")
    (project / "debug.log").write_text("noise")
    with open_workspace(project, parent=tmp_path) as workspace:
        assert workspace.read("new.py") == b"new"
        assert workspace.read("debug.log") is None
        assert not (workspace.tree / ".git").exists()


def test_nothing_the_repository_configures_runs(project: Path, tmp_path: Path) -> None:
    """A hostile checkout may name programs in its git configuration: they must not run on the host."""
    git(project, "init")
    trap = f"touch {tmp_path}/pwned"
    git(project, "config", "core.fsmonitor", trap)
    git(project, "config", "core.sshCommand", trap)
    git(project, "config", "filter.x.clean", trap)
    (project / ".gitattributes").write_text("* filter=x\n")
    with open_workspace(project, parent=tmp_path):
        pass
    assert not (tmp_path / "pwned").exists()


def test_nothing_is_fetched_to_list_a_partial_clone(project: Path, tmp_path: Path) -> None:
    """Expanding a sparse index of which a tree is missing would ask the remote, by a command of its choice."""
    git(project, "init")
    git(project, "add", ".")
    git(project, "commit", "-m", "x")
    git(project, "sparse-checkout", "set", "--cone", "--sparse-index", "nowhere")
    listed = subprocess.run(
        ["git", "rev-parse", "HEAD:src"], cwd=project, check=True, capture_output=True, text=True
    )
    tree = listed.stdout.strip()
    (project / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://example.org/x",
        "protocol.ssh.allow": "always",
        "core.sshCommand": f"touch {tmp_path}/pwned;",
    }.items():
        git(project, "config", name, value)
    with open_workspace(project, parent=tmp_path):
        pass
    assert not (tmp_path / "pwned").exists()


def test_a_tracked_path_behind_a_link_is_not_copied(project: Path, tmp_path: Path) -> None:
    """The index says ``keys/id``; in the checkout ``keys`` leads to a folder of the host."""
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "id").write_text("secret")
    git(project, "init")
    (project / "keys").mkdir()
    (project / "keys" / "id").write_text("x")
    git(project, "add", ".")
    (project / "keys" / "id").unlink()
    (project / "keys").rmdir()
    (project / "keys").symlink_to(tmp_path / "host")
    (project / ".git" / "info" / "exclude").write_text("keys\n")
    with open_workspace(project, parent=tmp_path) as workspace:
        assert workspace.read("src/app.py") == b"a\r\n"
        assert not (workspace.tree / "keys" / "id").exists()
        assert workspace.notices == ("skipped 1 unreadable or special files",)


@pytest.mark.parametrize("path", ["../outside", "/etc/hostname", "src/../../outside", ".git/config", "./x"])
def test_a_forged_index_leads_nowhere(project: Path, tmp_path: Path, path: str) -> None:
    """Git lists what an index says, also what ``git add`` would never put there."""
    git(project, "init")
    (tmp_path / "outside").write_text("secret")
    (project / ".git" / "index").write_bytes(index_of(path.encode(), b"src/app.py"))
    with open_workspace(project, parent=tmp_path) as workspace:
        found = {item.name for item in workspace.root.rglob("*")}
        assert found == {"tree", "src", "app.py", "run.sh"}


def index_of(*paths: bytes) -> bytes:
    """Return a version 2 index of empty files (https://git-scm.com/docs/index-format)."""
    entries = b""
    for path in sorted(paths):
        entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 0) + EMPTY_BLOB
        entry += struct.pack(">H", len(path)) + path
        entries += entry + b"\0" * (8 - len(entry) % 8)
    body = b"DIRC" + struct.pack(">II", 2, len(paths)) + entries
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def test_odd_files_are_copied_as_they_are(project: Path, tmp_path: Path) -> None:
    (project / "line\nbreak.py").write_text("x")
    (project / os.fsdecode(b"caf\xe9.py")).write_text("y")
    (project / "loop").symlink_to("loop")
    (project / "up").symlink_to("..")
    os.mkfifo(project / "pipe")
    with open_workspace(project, parent=tmp_path) as workspace:
        assert workspace.read("line\nbreak.py") == b"x"
        assert workspace.read(os.fsdecode(b"caf\xe9.py")) == b"y"
        assert (workspace.tree / "loop").is_symlink()
        assert workspace.read("loop") is None
        assert workspace.read("up/project/run.sh") is None
        assert workspace.notices == ("skipped 1 unreadable or special files",)


def test_patched_copies_do_not_touch_the_tree(project: Path, tmp_path: Path) -> None:
    with open_workspace(project, parent=tmp_path) as workspace:
        copy = workspace.patched({"src/app.py": b"b\r\n", "new/x.py": b"x", "run.sh": b"false\n"})
        assert (copy / "src/app.py").read_bytes() == b"b\r\n"
        assert (copy / "new/x.py").read_bytes() == b"x"
        assert os.access(copy / "run.sh", os.X_OK)
        assert workspace.read("src/app.py") == b"a\r\n"
        gone = workspace.patched({"src/app.py": None})
        assert not (gone / "src/app.py").exists()
        workspace.discard(copy)
        assert not copy.exists()
    assert (project / "src/app.py").read_bytes() == b"a\r\n"


def test_a_patch_cannot_leave_the_tree(project: Path, tmp_path: Path) -> None:
    (project / "out").symlink_to(tmp_path)
    with open_workspace(project, parent=tmp_path) as workspace:
        for path in ("../evil", "out/evil"):
            with pytest.raises(ProjectError, match="outside"):
                workspace.patched({path: b"x"})


def test_unusable_paths_get_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, message in (("missing", "does not exist"), ("file", "is a file"), ("empty", "is empty")):
        with pytest.raises(ProjectError, match=message):
            open_workspace(tmp_path / name, parent=tmp_path)


def test_a_broken_repository_gets_one_line(project: Path, tmp_path: Path) -> None:
    (project / ".git").write_text("gitdir: /nowhere\n")
    with pytest.raises(ProjectError, match="git cannot read"):
        open_workspace(project, parent=tmp_path)


def test_too_much_is_refused(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "MAXIMUM_FILES", 1)
    with pytest.raises(ProjectError, match="too large"):
        open_workspace(project, parent=tmp_path)
    assert [path for path in tmp_path.iterdir() if path.name.startswith("suture-run")] == []


def test_a_full_disk_says_so_and_leaves_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(ProjectError, match="no room left"):
        open_workspace(project, parent=tmp_path)
    assert [path for path in tmp_path.iterdir() if path.name.startswith("suture-run")] == []


def test_what_a_killed_run_left_is_removed_and_nothing_else(project: Path, tmp_path: Path) -> None:
    """A folder in use is locked by its process; one made just now may not be locked yet."""
    runs = tmp_path / "runs"
    runs.mkdir()
    with open_workspace(project, parent=runs) as in_use:
        dead, young, other = (runs / name for name in ("suture-run-dead", "suture-run-young", "other"))
        for folder in (dead, young, other):
            (folder / "tree").mkdir(parents=True)
        (runs / "suture-run-link").symlink_to(project)
        for folder in (dead, other, in_use.root):
            os.utime(folder, (0, 0))
        with open_workspace(project, parent=runs):
            assert not dead.exists()
            assert in_use.read("src/app.py") == b"a\r\n"
            assert young.exists()
            assert other.exists()
            assert (project / "src" / "app.py").exists()
