"""The index on disk: whole after a kill, shared by readers and a writer, never out of date."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from retrieval.domain import FileQuery
from retrieval.errors import IndexBusyError, IndexDamagedError
from retrieval.files import store as stores
from retrieval.files.document import document
from retrieval.files.index import MemoryKeeper, snapshot, update
from retrieval.files.ranker import TreeRanker
from retrieval.files.store import FILE, IndexStore, delete_index
from retrieval.files.trees import open_tree
from tests.repositories import Workshop

QUERY = FileQuery(title="extract_all follows links", body="")
FILES = {f"pkg/m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(40)}
FILES["pkg/archive.py"] = "def extract_all(archive):\n    follow(links)\n"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path / "work")
    made.commit(FILES, "Begin")
    made.commit({"pkg/archive.py": FILES["pkg/archive.py"] + "\n"}, "Fix extract_all")
    return made


def ranked(path: Path, folder: Path) -> list[tuple[str, float]]:
    store = IndexStore(folder)
    found = TreeRanker(keeper=store).rank(QUERY, path, k=5)
    store.close()
    return [(one.path, one.score) for one in found]


def test_an_index_on_disk_ranks_as_one_in_memory(workshop: Workshop, tmp_path: Path) -> None:
    fresh = [(one.path, one.score) for one in TreeRanker().rank(QUERY, workshop.path, k=5)]

    assert ranked(workshop.path, tmp_path / "i") == fresh
    assert ranked(workshop.path, tmp_path / "i") == fresh


def test_an_update_reads_only_what_is_new(workshop: Workshop, tmp_path: Path) -> None:
    store = IndexStore(tmp_path / "i")
    first = update(open_tree(workshop.path), store)
    again = update(open_tree(workshop.path), store)
    workshop.commit({"pkg/m1.py": "changed = 1\n", "pkg/new.py": "new = 1\n"}, "Change two")
    after = update(open_tree(workshop.path), store)
    store.close()

    assert (first.contents, first.commits) == (41, 2)
    assert (again.contents, again.commits) == (0, 0)
    assert (after.contents, after.commits) == (2, 1)


def test_after_a_force_push_only_the_new_history_speaks(workshop: Workshop, tmp_path: Path) -> None:
    store = IndexStore(tmp_path / "i")
    update(open_tree(workshop.path), store)
    workshop.git("reset", "-q", "--hard", "HEAD~1")
    workshop.commit({"pkg/m2.py": "x = 2\n"}, "Other")
    tree = open_tree(workshop.path)
    update(tree, store)
    subjects = [change.subject for change in snapshot(tree, store).log.changes]
    store.close()

    assert subjects == ["Other", "Begin"]


def test_after_a_kill_commits_that_are_missing_below_known_ones_are_read(workshop: Workshop) -> None:
    """The newest are put away first; a kill leaves a gap at the old end."""
    tree = open_tree(workshop.path)
    keeper, cut = MemoryKeeper(), MemoryKeeper()
    whole = snapshot(tree, keeper).log.changes
    newest = workshop.git("rev-parse", "HEAD")
    cut.put_commits({newest: keeper.commits([newest])[newest]})

    assert snapshot(tree, cut).log.changes == whole


def test_an_index_killed_while_it_is_written_goes_on_where_it_was(workshop: Workshop, tmp_path: Path) -> None:
    expected = [(one.path, one.score) for one in TreeRanker().rank(QUERY, workshop.path, k=5)]
    program = """
        import sys, time
        from pathlib import Path
        from retrieval.files import reading, index
        from retrieval.files.store import IndexStore
        from retrieval.files.trees import open_tree
        reading.BLOCK = 4
        put = IndexStore.put
        def slow(self, found):
            put(self, found); print("block", flush=True); time.sleep(0.2)
        IndexStore.put = slow
        index.update(open_tree(Path(sys.argv[1])), IndexStore(Path(sys.argv[2])))
    """
    for blocks in (1, 3):
        command = [sys.executable, "-c", textwrap.dedent(program), str(workshop.path), str(tmp_path / "i")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
            assert process.stdout is not None
            for _ in range(blocks):
                process.stdout.readline()
            os.kill(process.pid, signal.SIGKILL)

    store = IndexStore(tmp_path / "i")
    left = update(open_tree(workshop.path), store).contents
    store.close()

    assert 0 < left < 41
    assert ranked(workshop.path, tmp_path / "i") == expected


def test_two_readers_read_while_one_writes(workshop: Workshop, tmp_path: Path) -> None:
    folder = tmp_path / "i"
    expected = ranked(workshop.path, folder)
    writer, readers = IndexStore(folder), [IndexStore(folder), IndexStore(folder)]
    writer._database.execute("BEGIN IMMEDIATE")
    writer._database.execute("DELETE FROM documents")

    found = [TreeRanker(keeper=reader).rank(QUERY, workshop.path, k=5) for reader in readers]
    writer._database.execute("ROLLBACK")
    for store in (writer, *readers):
        store.close()

    assert [[(one.path, one.score) for one in each] for each in found] == [expected] * 2


def test_a_second_writer_is_told_to_try_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = IndexStore(tmp_path)
    monkeypatch.setattr(stores, "_WAIT", 0.05)
    second = IndexStore(tmp_path)
    first._database.execute("BEGIN IMMEDIATE")

    with pytest.raises(IndexBusyError, match="try again") as caught:
        second.put_fact("a", 1)
    assert caught.value.retryable
    first._database.execute("ROLLBACK")
    second.put_fact("a", 1)
    assert first.fact("a") == 1
    first.close()
    second.close()


def test_an_index_of_another_format_is_built_again(workshop: Workshop, tmp_path: Path) -> None:
    expected = ranked(workshop.path, tmp_path)
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("PRAGMA user_version = 1")
    database.execute("DROP TABLE documents")
    database.execute("CREATE TABLE documents (other TEXT)")
    database.commit()
    database.close()

    assert ranked(workshop.path, tmp_path) == expected


def test_a_file_that_is_no_index_is_a_clear_error_and_is_kept(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database at all, but long enough to be looked at" * 40)

    with pytest.raises(IndexDamagedError, match="suture index --delete"):
        IndexStore(tmp_path)
    assert (tmp_path / FILE).exists()


def test_damaged_content_is_a_clear_error(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    store.put({("a", "py"): document("a.py", "x")})
    store._database.execute("UPDATE documents SET content = substr(content, 1, 20)")

    with pytest.raises(IndexDamagedError):
        store.get([("a", "py")])
    store.close()


def test_deleting_takes_an_index_and_nothing_else(tmp_path: Path) -> None:
    IndexStore(tmp_path / "i").close()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "keep.txt").write_text("x")

    assert (delete_index(tmp_path / "i"), delete_index(tmp_path / "other")) == (True, False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other"]


def test_entries_that_nothing_asks_for_can_be_dropped(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    store.put({("a", "py"): document("a.py", "x"), ("b", "py"): None})
    store.put_commits({"c": b"1", "d": b"2"})
    store.forget(blobs=["a"], commits=["c"])

    assert (set(store.blob_ids()), set(store.commit_ids())) == ({"b"}, {"d"})
    assert store.get([("a", "py"), ("b", "py")]) == {("b", "py"): None}
    store.close()


@pytest.mark.parametrize("options", [("--depth=1",), ("--filter=blob:none",), ()])
def test_every_kind_of_bare_clone_is_ranked_and_says_what_it_lacks(
    workshop: Workshop, tmp_path: Path, options: tuple[str, ...]
) -> None:
    workshop.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone.git"
    subprocess.run(["git", "clone", "-q", "--bare", *options, workshop.url, str(clone)], check=True)

    ready = TreeRanker().snapshot(clone)
    best = TreeRanker().rank(FileQuery(title="archive", body="pkg/archive.py"), clone, k=1)

    assert best[0].path == "pkg/archive.py"
    assert [note.partition(":")[0] for note in ready.notes] == {
        "--depth=1": ["shallow clone"],
        "--filter=blob:none": ["partial clone"],
    }.get("".join(options), [])


def test_a_warm_ranker_does_not_read_again(workshop: Workshop) -> None:
    ranker = TreeRanker()
    first = ranker.snapshot(workshop.path)
    started = time.perf_counter()

    assert ranker.snapshot(workshop.path) is first
    assert time.perf_counter() - started < 5
