"""An environment is in the cache whole or not at all, and what is used stays."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from agent.errors import EnvironmentFailedError
from agent.toolchains.cache import EnvironmentCache, _remove

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EnvironmentCache]:
    opened = EnvironmentCache(tmp_path / "environments")
    yield opened
    opened.close()


async def build(cache: EnvironmentCache, digest: str, content: str = "x") -> Path:
    async with cache.building(digest, seconds=5) as folder:
        (folder / "env").mkdir()
        (folder / "env" / "file").write_text(content)
        return cache.publish(digest, folder, {"attempt": 0})


async def test_what_was_published_is_found_with_its_facts(cache: EnvironmentCache) -> None:
    assert cache.find("a") is None
    path = await build(cache, "a")

    assert cache.find("a") == path
    assert (path / "env/file").read_text() == "x"
    assert cache.facts("a") == {"format": 1, "attempt": 0}
    assert cache.facts("none") == {}


async def test_facts_that_cannot_be_read_are_empty(cache: EnvironmentCache) -> None:
    path = await build(cache, "a")
    (path / "complete.json").write_text("[]")

    assert cache.facts("a") == {}


async def test_a_build_that_fails_leaves_nothing(cache: EnvironmentCache, tmp_path: Path) -> None:
    async def broken() -> None:
        async with cache.building("a", seconds=5) as folder:
            (folder / "env").mkdir()
            (folder / "env").chmod(0o500)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await broken()

    assert cache.find("a") is None
    assert [path.name for path in (tmp_path / "environments").iterdir()] == ["a.building"]


async def test_two_builders_of_one_digest_go_one_after_the_other(
    cache: EnvironmentCache, tmp_path: Path
) -> None:
    other = EnvironmentCache(tmp_path / "environments")
    built = 0

    async def want(one: EnvironmentCache) -> Path | None:
        nonlocal built
        async with one.building("a", seconds=5) as folder:
            if one.find("a") is None:
                built += 1
                await asyncio.sleep(0.05)
                one.publish("a", folder, {})
        return one.find("a")

    found = await asyncio.gather(want(cache), want(other))
    other.close()

    assert (found[0], built) == (found[1], 1)
    assert found[0] is not None


async def test_waiting_for_another_builder_ends(cache: EnvironmentCache, tmp_path: Path) -> None:
    other = EnvironmentCache(tmp_path / "environments")

    async with cache.building("a", seconds=5):
        with pytest.raises(EnvironmentFailedError, match="another run") as caught:
            await other.building("a", seconds=0.01).__aenter__()

    assert caught.value.retryable


def test_an_install_that_was_killed_is_not_believed_and_is_cleared_away(
    cache: EnvironmentCache, tmp_path: Path
) -> None:
    program = """
import asyncio, sys, time
from pathlib import Path
from agent.toolchains.cache import EnvironmentCache
async def main():
    async with EnvironmentCache(Path(sys.argv[1])).building("a", seconds=5) as folder:
        (folder / "half").write_text("x")
        print("building", flush=True)
        time.sleep(60)
asyncio.run(main())
"""
    root = tmp_path / "environments"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(root)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "building\n"
        process.send_signal(signal.SIGKILL)
    left = list(root.glob("a.building-*"))

    assert len(left) == 1
    assert cache.find("a") is None
    path = asyncio.run(build(cache, "a"))
    assert not left[0].exists()
    assert not (path / "half").exists()


async def test_entries_are_listed_with_their_sizes_and_purged_oldest_first(
    cache: EnvironmentCache, tmp_path: Path
) -> None:
    for age, name in enumerate(("new", "old")):
        path = await build(cache, name, "x" * 1000)
        os.utime(path / "complete.json", (1000 - age, 1000 - age))
    keeper = EnvironmentCache(tmp_path / "environments")

    assert [entry.digest for entry in keeper.entries()] == ["old", "new"]
    assert all(entry.bytes >= 1000 for entry in keeper.entries())
    assert [entry.digest for entry in keeper.purge(keep_bytes=1500)] == ["old"]
    assert [entry.digest for entry in keeper.purge()] == ["new"]
    assert keeper.entries() == ()


async def test_what_any_process_uses_is_not_purged(cache: EnvironmentCache, tmp_path: Path) -> None:
    await build(cache, "a")
    cache.find("a")
    other = EnvironmentCache(tmp_path / "environments")

    assert other.purge() == ()
    assert cache.purge() == ()
    cache.close()
    assert [entry.digest for entry in other.purge()] == ["a"]


async def test_publishing_again_replaces(cache: EnvironmentCache) -> None:
    await build(cache, "a", "one")
    path = await build(cache, "a", "two")

    assert (path / "env/file").read_text() == "two"


async def test_an_entry_that_goes_between_two_looks_is_not_found(
    cache: EnvironmentCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await build(cache, "a")
    monkeypatch.setattr(cache, "_hold", lambda _digest: (path / "complete.json").unlink())

    assert cache.find("a") is None


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_has_no_write_permission_is_removed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    target = tmp_path / "inner" / kind
    target.parent.mkdir()
    if kind == "folder":
        target.mkdir()
    elif kind == "file":
        target.touch()
    else:
        target.symlink_to(tmp_path)
    real = shutil.rmtree

    def refusing(path: Path, *, onerror: Callable[[object, str, object], None]) -> None:
        monkeypatch.setattr(shutil, "rmtree", real)
        onerror(None, str(target), None)

    monkeypatch.setattr(shutil, "rmtree", refusing)
    _remove(tmp_path / "inner")

    assert not os.path.lexists(target)
    assert tmp_path.exists()
