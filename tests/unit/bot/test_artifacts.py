"""Artifacts are found by what they are, and never half written."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bot.artifacts import ArtifactStore
from bot.errors import ArtifactError


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    first, second = store.put(b"x"), store.put(b"x")
    assert first == second
    assert list(store.digests()) == [first.digest]
    assert (store.get(first.digest), first.size) == (b"x", 1)


def test_a_damaged_file_is_not_returned(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    digest = store.put(b"x").digest
    (tmp_path / "sha256" / digest[:2] / digest).write_bytes(b"y")
    with pytest.raises(ArtifactError, match="damaged"):
        store.get(digest)


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "g" * 64, "a" * 63])
def test_a_name_that_is_no_digest_reaches_no_file(tmp_path: Path, digest: str) -> None:
    with pytest.raises(ArtifactError):
        ArtifactStore(tmp_path).get(digest)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="missing"):
        ArtifactStore(tmp_path).get("a" * 64)


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: Path, _target: Path) -> None:
        raise OSError("disk full")

    store = ArtifactStore(tmp_path)
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        store.put(b"x")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_sweeping_keeps_what_is_named_and_what_is_young(tmp_path: Path) -> None:
    store = ArtifactStore(tmp_path)
    named, other = store.put(b"a").digest, store.put(b"b").digest
    assert store.keep_only({named}, older_than=0.0) == 0
    assert store.keep_only({named}, older_than=time.time() + 60) == 1
    assert list(store.digests()) == [named]
    assert other != named
