"""Fitting alpha on a repository's own fixes, and past issues kept on disk."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retrieval.embedders.svd import SVDEmbedder
from retrieval.errors import IndexDamagedError
from retrieval.files import tuning
from retrieval.files.memory_store import load_memory, remember
from retrieval.files.presets import DEFAULT, PAPER
from retrieval.files.store import IndexStore
from retrieval.files.trees import open_tree
from retrieval.files.tuning import fit_alpha, tuned
from tests.repositories import Workshop
from tests.unit.retrieval.files.build import build_issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

NAMES = ("alpha", "beta", "gamma", "delta")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[IndexStore]:
    opened = IndexStore(tmp_path / "index")
    yield opened
    opened.close()


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """Make a repository in which only the past tells where a symptom is fixed: the code never names it."""
    made = Workshop(tmp_path / "work")
    made.commit({f"m{number}.py": f"def f{number}(): ...\n" for number in range(len(NAMES))}, "Begin")
    for turn in range(6):
        for number, name in enumerate(NAMES):
            made.commit({f"m{number}.py": f"def f{number}(): ...\nx = {turn}\n"}, f"Fix {name} glitch")
    return made


def test_alpha_is_kept_when_the_past_tells_more(
    workshop: Workshop, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "FEWEST", 20)
    weak = tuned(DEFAULT, store)
    found = fit_alpha(open_tree(workshop.path), store, preset=replace(weak, alpha=0.0))

    assert found.fixes == 24
    assert found.after > found.before
    assert found.kept
    assert tuned(DEFAULT, store).alpha == found.alpha > 0
    assert tuned(PAPER, store) is PAPER


def test_alpha_is_left_alone_when_nothing_is_won(
    workshop: Workshop, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "FEWEST", 20)
    first = fit_alpha(open_tree(workshop.path), store)
    again = fit_alpha(open_tree(workshop.path), store, preset=replace(DEFAULT, alpha=first.alpha))

    assert not again.kept
    assert again.reason == "no better on the newer half"


def test_too_few_fixes_fit_nothing(workshop: Workshop, store: IndexStore) -> None:
    found = fit_alpha(open_tree(workshop.path), store)

    assert (found.kept, found.reason) == (False, "24 past fixes; at least 200 are needed")
    assert tuned(DEFAULT, store) is DEFAULT


ISSUES = [
    build_issue(str(number), f"{name} glitch", f"m{number}.py") for number, name in enumerate(NAMES * 3)
]


def test_issues_are_kept_and_only_new_ones_are_embedded(
    store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(store, SVDEmbedder(), ISSUES[:11])
    embedded: list[int] = []
    embed = SVDEmbedder.embed

    def counted(self: SVDEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
        embedded.append(len(texts))
        return embed(self, texts)

    monkeypatch.setattr(SVDEmbedder, "embed", counted)
    remember(store, SVDEmbedder(), ISSUES)
    kept = load_memory(store, SVDEmbedder())

    assert embedded == [1]
    assert kept is not None
    assert len(kept.issues) == 12
    assert kept.similar("delta glitch", "", before=9, k=1)[0].issue.title == "delta glitch"


def test_the_embedder_is_fitted_again_when_the_issues_have_grown(store: IndexStore) -> None:
    remember(store, SVDEmbedder(), ISSUES[:4])
    remember(store, SVDEmbedder(), ISSUES)

    fact = store.fact("issues")
    assert isinstance(fact, dict)
    assert (fact["fitted"], fact["count"], fact["number"]) == (12, 12, 2)


def test_old_generations_are_swept_and_the_one_before_is_kept_for_its_readers(store: IndexStore) -> None:
    for count in (4, 8, 12):
        remember(store, SVDEmbedder(), ISSUES[:count])

    assert sorted(path.name for path in store.folder.glob("issues-*")) == ["issues-2", "issues-3"]


def test_no_issues_and_another_embedder_give_no_memory(store: IndexStore) -> None:
    assert load_memory(store, SVDEmbedder()) is None
    remember(store, SVDEmbedder(), [])
    assert load_memory(store, SVDEmbedder()) is None


def test_a_damaged_generation_is_a_clear_error(store: IndexStore) -> None:
    remember(store, SVDEmbedder(), ISSUES)
    (store.folder / "issues-1" / "issues.json").write_text("[")

    with pytest.raises(IndexDamagedError, match="suture index --delete"):
        load_memory(store, SVDEmbedder())
