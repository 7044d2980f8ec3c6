"""Against the real git, in every kind of clone."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from retrieval.errors import GitError, GitTimeoutError, NotARepositoryError, UnknownRevisionError
from retrieval.git import Blob, GitRepository
from tests.repositories import Workshop

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path / "work")
    made.commit({"a.py": "one\n" * 20, "docs/b.txt": "two\n"}, "Begin")
    made.commit({"a.py": None, "c.py": "one\n" * 20 + "three\n"}, "Move a to c\n\nWith a body.")
    return made


def bare(workshop: Workshop, target: Path, *options: str) -> GitRepository:
    subprocess.run(["git", "clone", "-q", "--bare", *options, workshop.url, str(target)], check=True)
    return GitRepository(target)


def test_a_bare_clone_reads_as_its_origin(workshop: Workshop, tmp_path: Path) -> None:
    clone, origin = bare(workshop, tmp_path / "b.git"), GitRepository(workshop.path)

    assert list(clone.log("HEAD")) == list(origin.log("HEAD"))
    assert list(clone.files("HEAD")) == list(origin.files("HEAD"))
    assert (clone.shallow, clone.partial) == (False, False)


def test_the_log_follows_a_rename_by_content(workshop: Workshop) -> None:
    newest = next(GitRepository(workshop.path).log("HEAD"))

    assert [(change.path, change.status, change.old_path) for change in newest.changes] == [
        ("c.py", "R", "a.py")
    ]
    assert newest.subject == "Move a to c"


def test_without_renames_a_move_is_two_changes(workshop: Workshop) -> None:
    newest = next(GitRepository(workshop.path).log("HEAD", renames=False))

    assert {(change.path, change.status) for change in newest.changes} == {("a.py", "D"), ("c.py", "A")}


def test_a_merge_carries_its_difference_to_the_first_parent(workshop: Workshop) -> None:
    workshop.git("checkout", "-q", "-b", "side", "HEAD~1")
    workshop.commit({"side.py": "s\n"}, "Side")
    workshop.git("checkout", "-q", "main")
    workshop.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")

    merge = next(GitRepository(workshop.path).log("HEAD"))

    assert (len(merge.parents), [change.path for change in merge.changes]) == (2, ["side.py"])


def test_only_new_commits_are_listed_when_older_ones_are_excluded(workshop: Workshop) -> None:
    repository = GitRepository(workshop.path)
    old = repository.resolve("HEAD")
    new = workshop.commit({"d.py": "d\n"}, "Add d")

    assert [commit.id for commit in repository.log("HEAD", excluding=[old])] == [new]
    assert repository.reachable("HEAD", excluding=[old]) == (new,)
    assert (repository.is_ancestor(old, new), repository.is_ancestor(new, old)) == (True, False)


def test_contents_come_in_order_and_large_ones_only_by_size(workshop: Workshop) -> None:
    repository = GitRepository(workshop.path)
    blobs = {file.path: file.blob for file in repository.files("HEAD")}
    wanted = [blobs["c.py"], "f" * 40, blobs["docs/b.txt"]]

    assert list(repository.blobs(wanted, limit=10)) == [
        Blob(id=blobs["c.py"], size=86, content=None),
        Blob(id=blobs["docs/b.txt"], size=4, content=b"two\n"),
    ]
    assert list(repository.blobs([])) == []


def test_links_and_strange_names_are_told_apart(workshop: Workshop) -> None:
    (workshop.path / "link").symlink_to("c.py")
    (workshop.path / os.fsdecode(b"caf\xe9 \n.py")).write_text("x")
    workshop.commit({}, "Strange")

    paths = [file.path for file in GitRepository(workshop.path).files("HEAD")]

    assert paths == ["c.py", os.fsdecode(b"caf\xe9 \n.py"), "docs/b.txt"]


def test_a_shallow_clone_says_so(workshop: Workshop, tmp_path: Path) -> None:
    clone = bare(workshop, tmp_path / "s.git", "--depth=1")

    assert (clone.shallow, [commit.subject for commit in clone.log("HEAD")]) == (True, ["Move a to c"])


def test_a_partial_clone_gives_what_it_holds_and_fetches_nothing(workshop: Workshop, tmp_path: Path) -> None:
    workshop.git("config", "uploadpack.allowFilter", "true")
    clone = bare(workshop, tmp_path / "p.git", "--filter=blob:none")

    paths = [file.path for file in clone.files("HEAD")]
    blobs = [file.blob for file in clone.files("HEAD")]

    assert (clone.partial, paths, list(clone.blobs(blobs))) == (True, ["c.py", "docs/b.txt"], [])
    assert [commit.subject for commit in clone.log("HEAD")] == ["Move a to c", "Begin"]


def test_an_empty_repository_has_no_commits(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    repository = GitRepository(tmp_path)

    assert not repository.has_commits()
    with pytest.raises(UnknownRevisionError, match="no commit 'HEAD'"):
        repository.resolve("HEAD")


def test_a_folder_without_git_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(NotARepositoryError, match="is not a readable git repository"):
        _ = GitRepository(tmp_path).git_dir
    with pytest.raises(NotARepositoryError):
        GitRepository(tmp_path).resolve("HEAD")


def test_a_revision_is_never_taken_for_an_option(workshop: Workshop) -> None:
    with pytest.raises(UnknownRevisionError):
        GitRepository(workshop.path).resolve("--all")


def test_what_the_repository_configures_is_not_run(workshop: Workshop, tmp_path: Path) -> None:
    """An external diff or a signature program would be code of the repository's choice."""
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for name in ("diff.external", "gpg.program", "core.fsmonitor", "core.pager"):
        workshop.git("config", name, str(trap))
    workshop.git("config", "log.showSignature", "true")

    repository = GitRepository(workshop.path)

    assert len(list(repository.log("HEAD"))) == 2
    assert len(list(repository.files("HEAD"))) == 2
    assert not (tmp_path / "sprung").exists()


def test_a_call_over_its_time_is_stopped(workshop: Workshop) -> None:
    repository = GitRepository(workshop.path, seconds=0.0)

    with pytest.raises(GitTimeoutError, match="stopped after 0 seconds") as caught:
        repository.text(
            "cat-file", "--batch-all-objects", "--batch-check", "--unordered", "--follow-symlinks"
        )
    assert caught.value.retryable


def test_leaving_a_log_early_is_no_error(workshop: Workshop) -> None:
    log = GitRepository(workshop.path).log("HEAD")

    assert next(log).subject == "Move a to c"
    log.close()  # type: ignore[attr-defined]


def test_git_missing_is_one_clear_error(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(GitError, match="git cannot be started"):
        GitRepository(workshop.path).text("version")
