"""Commits are read out of real repositories, whole or damaged, and kept in an index that survives."""

from __future__ import annotations

import json
import subprocess
from datetime import date
from typing import TYPE_CHECKING

import pytest

from retrieval.commits import store
from retrieval.commits.domain import AdvisoryQuery
from retrieval.commits.history import commit_ids, read_commits
from retrieval.commits.presets import Preset, RankingConfig
from retrieval.commits.releases import tag_commits
from retrieval.commits.store import CommitIndex
from retrieval.commits.tracer import CommitTracer
from retrieval.errors import GitTimeoutError, NotARepositoryError
from retrieval.git import GitRepository
from tests.repositories import Workshop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from retrieval.commits.domain import CommitPatch


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path / "work")
    made.commit({"a.py": "def one():\n    return 1\n", "b.py": "b = 1\n"}, "Begin")
    made.git("tag", "v1.0")
    made.commit({"a.py": "def one():\n    return escape(1)\n", "b.py": "b = 2\n"}, "Escape one\n\nFixes #12")
    made.git("tag", "-a", "-m", "release", "v1.1")
    return made


def read(repository: GitRepository) -> list[CommitPatch]:
    return list(read_commits(repository, commit_ids(repository)))


def clone(workshop: Workshop, target: Path, *options: str) -> GitRepository:
    subprocess.run(["git", "clone", "-q", *options, workshop.url, str(target)], check=True)
    return GitRepository(target)


def lose(workshop: Workshop, revision: str) -> None:
    """Delete an object, as a damaged disk or a size limit does."""
    name = workshop.git("rev-parse", revision)
    (workshop.path / ".git" / "objects" / name[:2] / name[2:]).unlink()


def paths(commits: Iterable[CommitPatch]) -> list[list[str]]:
    return [[change.path for change in commit.changes] for commit in commits]


def test_a_commit_comes_with_its_patch(workshop: Workshop) -> None:
    newest, _ = read(GitRepository(workshop.path))

    assert (newest.subject, newest.complete) == ("Escape one", True)
    assert newest.lines == ("-    return 1", "+    return escape(1)", "-b = 1", "+b = 2")
    assert newest.sections == ("def one():",)


def test_branches_tags_and_merges_count(workshop: Workshop) -> None:
    """A merge carries what it brought; a tag without a branch is history too."""
    workshop.git("checkout", "-q", "-b", "side", "HEAD~1")
    side = workshop.commit({"side.py": "s\n"}, "Side")
    workshop.git("checkout", "-q", "main")
    workshop.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    workshop.git("branch", "-D", "side")
    workshop.git("checkout", "-q", "--detach", "HEAD~1")
    lone = workshop.commit({"lone.py": "l\n"}, "Lone")
    workshop.git("tag", "lone")
    workshop.git("checkout", "-q", "main")

    commits = {commit.id: commit for commit in read(GitRepository(workshop.path))}
    (merge,) = (commit for commit in commits.values() if len(commit.parents) == 2)

    assert {side, lone} <= commits.keys()
    assert paths([merge]) == [["side.py"]]


def test_an_octopus_merge_has_its_difference_to_the_first_parent(workshop: Workshop) -> None:
    for name in ("x", "y", "z"):
        workshop.git("checkout", "-q", "-b", name, "main")
        workshop.commit({f"{name}.py": "1\n"}, name)
    workshop.git("checkout", "-q", "main")
    workshop.git("merge", "-q", "--no-ff", "-m", "Octopus", "x", "y", "z")

    octopus = next(commit for commit in read(GitRepository(workshop.path)) if commit.subject == "Octopus")

    assert (len(octopus.parents), paths([octopus])) == (4, [["x.py", "y.py", "z.py"]])


def test_unusual_names_and_contents_are_read(workshop: Workshop) -> None:
    workshop.commit(
        {'odd\tname "é".txt': "x\n", "bin": b"\0\1\2", "nul.txt": "a" * 9000 + "\0\n\0\0fake\n"}, "Odd"
    )

    odd = read(GitRepository(workshop.path))[0]

    assert paths([odd]) == [["bin", "nul.txt", 'odd\tname "é".txt']]
    assert len(read(GitRepository(workshop.path))) == 3


def test_a_message_of_a_megabyte_is_read_and_cut(workshop: Workshop) -> None:
    (workshop.path / "message").write_text("Long\n\n" + "words and more words\n" * 60_000, "utf-8")
    workshop.git("commit", "-q", "--allow-empty", "-F", "message")

    newest, *older = read(GitRepository(workshop.path))

    assert (newest.subject, len(newest.message) <= 20_000, len(older)) == ("Long", True, 2)


def test_a_missing_content_costs_its_file_alone(workshop: Workshop) -> None:
    lose(workshop, "HEAD:b.py")

    newest, oldest = read(GitRepository(workshop.path))

    assert (newest.complete, oldest.complete) == (False, True)
    assert newest.lines == ("-    return 1", "+    return escape(1)")
    assert (newest.subject, paths([newest])) == ("Escape one", [["b.py", "a.py"]])


def test_missing_trees_leave_the_message(workshop: Workshop) -> None:
    lose(workshop, "HEAD^{tree}")

    newest, oldest = read(GitRepository(workshop.path))

    assert (newest.message, newest.changes, newest.complete) == ("Escape one\n\nFixes #12", (), False)
    assert oldest.complete


def test_a_clone_without_contents_gives_names_soon(workshop: Workshop, tmp_path: Path) -> None:
    """After some failures in a row no more contents are asked for, else a large clone takes for ever."""
    workshop.git("config", "uploadpack.allowFilter", "true")
    for number in range(40):
        workshop.commit({"a.py": f"{number}\n"}, f"Change {number}")

    commits = read(clone(workshop, tmp_path / "partial", "--filter=blob:none", "--no-checkout"))

    assert len(commits) == 42
    assert {commit.complete for commit in commits} == {False}
    assert paths(commits[:3]) == [["a.py"]] * 3


def test_a_shallow_clone_ends_where_it_was_cut(workshop: Workshop, tmp_path: Path) -> None:
    commits = read(clone(workshop, tmp_path / "shallow", "--depth=1"))

    assert [commit.subject for commit in commits] == ["Escape one"]


def test_grafts_and_replacements_change_nothing(workshop: Workshop) -> None:
    before = read(GitRepository(workshop.path))
    head, first = workshop.git("rev-parse", "HEAD"), workshop.git("rev-parse", "HEAD~1")
    workshop.git("replace", head, first)

    assert [commit.id for commit in read(GitRepository(workshop.path))][:1] == [before[0].id]
    assert read(GitRepository(workshop.path))[0].message == before[0].message


def test_a_tag_to_a_content_is_no_release(workshop: Workshop, tmp_path: Path) -> None:
    workshop.git("tag", "v9.9", workshop.git("rev-parse", "HEAD:a.py"))
    repository = GitRepository(workshop.path)

    found = CommitTracer.open(repository, tmp_path / "index").trace(
        AdvisoryQuery(text="escape", fixed=("9.9",))
    )

    assert len(tag_commits(repository)) == 3
    assert len(found.commits) == 2


def test_an_empty_repository_has_no_answer(tmp_path: Path) -> None:
    repository = GitRepository(Workshop(tmp_path / "empty").path)

    found = CommitTracer.open(repository, tmp_path / "index").trace(AdvisoryQuery(text="anything"))

    assert (found.commits, found.margin, found.searched) == ((), 0.0, 0)


def test_a_folder_without_repository_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    with pytest.raises(NotARepositoryError):
        _ = GitRepository(tmp_path / "plain").git_dir


def test_time_that_runs_out_is_said(workshop: Workshop) -> None:
    repository = GitRepository(workshop.path)
    ids = commit_ids(repository)
    hasty = GitRepository(workshop.path, seconds=0.0)

    with pytest.raises(GitTimeoutError):
        list(read_commits(hasty, ids))


def test_the_fix_is_found_and_its_reasons_are_told(workshop: Workshop, tmp_path: Path) -> None:
    query = AdvisoryQuery(text="one() does not escape", fixed=("1.1",), published=date(2020, 9, 20))

    found = CommitTracer.open(GitRepository(workshop.path), tmp_path / "index").trace(query)

    assert found.commits[0].subject == "Escape one"
    assert found.commits[0].signals["window"] == 1.0
    assert (found.explicit, found.searched) == (False, 2)
    assert 0 < found.margin <= 1


def test_a_named_commit_comes_first_unless_links_are_ignored(workshop: Workshop, tmp_path: Path) -> None:
    first = workshop.git("rev-parse", "HEAD~1")
    query = AdvisoryQuery(
        text="one() does not escape", fixed=("1.1",), links=(f"https://host/o/r/commit/{first}",)
    )
    tracer = CommitTracer.open(GitRepository(workshop.path), tmp_path / "index")

    followed, ranked = tracer.trace(query), tracer.trace(query, follow_links=False)

    assert (followed.explicit, followed.commits[0].id) == (True, first)
    assert followed.commits[0].explicit.endswith(first)
    assert (ranked.explicit, ranked.commits[0].subject, ranked.commits[0].explicit) == (
        False,
        "Escape one",
        "",
    )
    assert len({commit.id for commit in followed.commits}) == 2


def test_the_paper_preset_ranks_too(workshop: Workshop, tmp_path: Path) -> None:
    config = RankingConfig(preset=Preset.PAPER)
    tracer = CommitTracer.open(GitRepository(workshop.path), tmp_path / "index", config)

    assert tracer.trace(AdvisoryQuery(text="escape one")).commits[0].subject == "Escape one"


def test_only_new_commits_are_read_again(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, repository = CommitIndex(tmp_path / "index"), GitRepository(workshop.path)
    index.update(repository)
    new = workshop.commit({"c.py": "c\n"}, "New")
    asked: list[str] = []

    def watched(source: GitRepository, ids: Sequence[str]) -> Iterator[CommitPatch]:
        asked.extend(ids)
        return read_commits(source, ids)

    monkeypatch.setattr(store, "read_commits", watched)

    sizes = [len(segment) for segment in index.update(repository)]

    assert (asked, sizes) == ([new], [2, 1])


def test_many_small_segments_become_one(workshop: Workshop, tmp_path: Path) -> None:
    index, repository = CommitIndex(tmp_path / "index"), GitRepository(workshop.path)
    for number in range(store.SMALL_SEGMENTS + 1):
        index.update(repository)
        workshop.commit({"c.py": f"{number}\n"}, f"New {number}")

    segments = index.update(repository)

    assert sum(map(len, segments)) == 2 + store.SMALL_SEGMENTS + 1
    assert len(segments) < store.SMALL_SEGMENTS
    assert len(list((tmp_path / "index").glob("segment-*"))) == len(segments)


@pytest.mark.parametrize("harm", ["manifest", "layout", "segment", "array", "everything"])
def test_a_damaged_index_is_built_again(workshop: Workshop, tmp_path: Path, harm: str) -> None:
    folder, repository = tmp_path / "index", GitRepository(workshop.path)
    before = CommitTracer.open(repository, folder).trace(AdvisoryQuery(text="escape"))
    (segment,) = folder.glob("segment-*")
    match harm:
        case "manifest":
            (folder / "manifest.json").write_text("{", "utf-8")
        case "layout":
            kept = json.loads((folder / "manifest.json").read_text("utf-8"))
            (folder / "manifest.json").write_text(json.dumps({**kept, "layout": -1}), "utf-8")
        case "segment":
            subprocess.run(["rm", "-rf", str(segment)], check=True)
        case "array":
            (segment / "diff.counts.npy").write_bytes(b"short")
        case _:
            subprocess.run(["rm", "-rf", str(folder)], check=True)

    after = CommitTracer.open(repository, folder).trace(AdvisoryQuery(text="escape"))

    assert [commit.id for commit in after.commits] == [commit.id for commit in before.commits]
