"""The index of a repository of the App: what a push leaves ready for the next run."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bot.errors import GitHubError
from bot.github.history import PastFix
from bot.indexing import MirrorIndexer, index_of, project_folder
from bot.ports import Checkout
from handlers.intents import Repository
from retrieval.embedders import EmbedderConfig, build_embedder
from retrieval.files.memory_store import load_memory
from retrieval.files.store import FILE, IndexStore
from tests.repositories import Workshop

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


REPOSITORY = Repository(id=1, full_name="o/r", installation_id=3, default_branch="main")


class FakeHistory:
    """Past fixes, or an error."""

    def __init__(self, *fixes: PastFix, error: Exception | None = None) -> None:
        self._fixes, self._error = fixes, error

    async def past_fixes(self, repository: Repository, issues: int = 0) -> Sequence[PastFix]:
        """Return or raise as told."""
        del repository, issues
        if self._error is not None:
            raise self._error
        return self._fixes


def build_fix(number: int) -> PastFix:
    when = datetime(2020, 1, 1, tzinfo=UTC)
    return PastFix(
        issue=number, title=f"Crash {number}", body="It crashes.", opened_at=when, merged_at=when,
        commit="c" * 40, paths=("app.py",),
    )  # fmt: skip


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path / "mirror")
    (made.path / "app.py").write_text("def run():\n    return 1\n")
    made.git("add", ".")
    made.git("commit", "-q", "-m", "Add app")
    return made


def build_checkout(workshop: Workshop) -> Checkout:
    sha = workshop.git("rev-parse", "HEAD").strip()
    return Checkout(tree=workshop.path, mirror=workshop.path, branch="main", sha=sha)


def build_indexer(tmp_path: Path, workshop: Workshop, history: FakeHistory) -> MirrorIndexer:
    return MirrorIndexer(cache=tmp_path / "cache", history=history, mirror_of=lambda _: workshop.path)


async def test_a_push_leaves_files_commits_and_past_fixes_in_the_index(
    tmp_path: Path, workshop: Workshop
) -> None:
    indexer = build_indexer(tmp_path, workshop, FakeHistory(build_fix(1), build_fix(2)))
    await indexer.update(REPOSITORY, build_checkout(workshop))

    store = IndexStore(index_of(project_folder(tmp_path / "cache", workshop.path)))
    memory = load_memory(store, build_embedder(EmbedderConfig()))
    assert (len(store.blob_ids()), len(store.commit_ids())) == (1, 1)
    assert memory is not None
    assert [issue.files for issue in memory.issues] == [("app.py",), ("app.py",)]
    store.close()


async def test_without_githubs_history_the_commit_log_is_indexed_nevertheless(
    tmp_path: Path, workshop: Workshop
) -> None:
    history = FakeHistory(error=GitHubError("GraphQL: FORBIDDEN", status=403, retryable=False))
    await build_indexer(tmp_path, workshop, history).update(REPOSITORY, build_checkout(workshop))
    store = IndexStore(index_of(project_folder(tmp_path / "cache", workshop.path)))
    assert len(store.commit_ids()) == 1
    store.close()


async def test_a_damaged_index_is_built_again(tmp_path: Path, workshop: Workshop) -> None:
    folder = index_of(project_folder(tmp_path / "cache", workshop.path))
    folder.mkdir(parents=True)
    (folder / FILE).write_bytes(b"no database" * 100)
    indexer = build_indexer(tmp_path, workshop, FakeHistory())
    await indexer.update(REPOSITORY, build_checkout(workshop))
    store = IndexStore(folder)
    assert len(store.blob_ids()) == 1
    store.close()


async def test_dropping_a_repository_leaves_nothing(tmp_path: Path, workshop: Workshop) -> None:
    indexer = build_indexer(tmp_path, workshop, FakeHistory())
    await indexer.update(REPOSITORY, build_checkout(workshop))
    await indexer.drop(REPOSITORY)
    assert list((tmp_path / "cache" / "projects").iterdir()) == []
