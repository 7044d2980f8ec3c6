"""Mirrors and exported trees, fetched from the testbed's git server."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from typing import TYPE_CHECKING

import pytest

from bot.errors import GitHubError, RepositoryGoneError
from bot.github.checkout import CheckoutConfig, GitCheckouts
from bot.github.client import GitHubApp
from bot.github.export import TreeLimits
from bot.github.git import GitLimits

if TYPE_CHECKING:
    from pathlib import Path

    from handlers.intents import Repository
    from tests.testbed.testbed import Testbed

pytestmark = pytest.mark.testbed

FILES = {
    ".gitattributes": b"""* text=auto
*.bat eol=crlf
*.id ident
hidden/* export-ignore
*.sub export-subst
*.lfs filter=lfs
""",
    "unix.txt": b"a\nb\n",
    "dos.txt": b"a\r\nb\r\n",
    "run.bat": b"echo\n",
    "x.id": b"$Id$\n",
    "x.sub": b"$Format:%H$\n",
    "hidden/test.py": b"assert 1\n",
    "big.lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    "bin/tool": b"#!/bin/sh",
    "no-end": b"no newline",
    "lib/link": b"../unix.txt",
    "outside": b"/etc/passwd",
}
MODES = {"bin/tool": "100755", "lib/link": "120000", "outside": "120000"}


def build_checkouts(testbed: Testbed, folder: Path, **changes: object) -> GitCheckouts:
    """Return checkouts below a folder."""
    app = GitHubApp(testbed.config())
    config = CheckoutConfig(folder=folder, backoff=0.01, **changes)  # type: ignore[arg-type]
    return GitCheckouts(config, app.connection, app.refresh)


@pytest.fixture
def repository(testbed: Testbed) -> Repository:
    return testbed.repository(FILES, modes=MODES)


async def test_a_tree_holds_the_very_bytes(testbed: Testbed, repository: Repository, tmp_path: Path) -> None:
    """No attribute of the repository converts, expands, smudges or hides a file."""
    checkout = await build_checkouts(testbed, tmp_path).export(repository)

    for path, content in FILES.items():
        if path not in {"lib/link", "outside"}:
            assert content == (checkout.tree / path).read_bytes()
    assert os.access(checkout.tree / "bin/tool", os.X_OK)
    assert not (checkout.tree / "unix.txt").stat().st_mode & stat.S_IXUSR
    assert ("main", testbed.head(repository.full_name)) == (checkout.branch, checkout.sha)


async def test_links_lead_inside_or_are_left_out(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """A reader of the tree never reads the host."""
    tree = (await build_checkouts(testbed, tmp_path).export(repository)).tree

    assert (tree / "lib/link").read_bytes() == b"a\nb\n"
    assert not (tree / "outside").is_symlink()


async def test_a_tree_has_no_history(testbed: Testbed, repository: Repository, tmp_path: Path) -> None:
    """There is nothing of git in it."""
    tree = (await build_checkouts(testbed, tmp_path).export(repository)).tree

    assert list(tree.rglob(".git")) == []


async def test_the_token_is_nowhere_but_in_the_environment(
    testbed: Testbed, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in an argument, not in a configuration, not in any file that stays."""
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {tmp_path}/argv\nexec {shutil.which("git")} "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spy.parent}:{os.environ['PATH']}")
    data = tmp_path / "data"

    await build_checkouts(testbed, data).export(repository)

    tokens = [value.encode() for value in testbed.state.tokens]
    written = [path.read_bytes() for path in data.rglob("*") if path.is_file() and not path.is_symlink()]
    arguments = (tmp_path / "argv").read_bytes()
    assert b"fetch" in arguments
    assert tokens
    assert not [token for token in tokens if token in arguments or any(token in text for text in written)]


async def test_a_second_export_brings_what_is_new(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """New commits arrive, deleted branches go, other branches and old commits can be exported."""
    checkouts = build_checkouts(testbed, tmp_path)
    first = await checkouts.export(repository)
    side = testbed.commit(repository.full_name, {"s": b"1"}, branch="side", create=True, parent=first.sha)
    testbed.commit(repository.full_name, {"unix.txt": b"new\n"}, branch="main")

    newest = await checkouts.export(repository)
    other = await checkouts.export(repository, branch="side")
    old = await checkouts.export(repository, sha=first.sha)
    testbed.person("owner").ask("DELETE", f"/repos/{repository.full_name}/git/refs/heads/side")

    assert (newest.tree / "unix.txt").read_bytes() == b"new\n"
    assert (side, b"1") == (other.sha, (other.tree / "s").read_bytes())
    assert (old.tree / "unix.txt").read_bytes() == b"a\nb\n"
    with pytest.raises(GitHubError, match="no branch side"):
        await checkouts.export(repository, branch="side")


async def test_a_commit_that_no_branch_holds_is_fetched_by_id(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """A deleted branch's commit can still be asked for."""
    start = testbed.head(repository.full_name)
    lost = testbed.commit(repository.full_name, {"lost": b"1"}, branch="lost", create=True, parent=start)
    checkouts = build_checkouts(testbed, tmp_path / "one")
    await checkouts.export(repository, branch="lost")
    testbed.person("owner").ask("DELETE", f"/repos/{repository.full_name}/git/refs/heads/lost")

    found = await build_checkouts(testbed, tmp_path / "two").export(repository, sha=lost)

    assert (found.tree / "lost").read_bytes() == b"1"


@pytest.mark.parametrize("sha", ["--upload-pack=touch x", "HEAD", "main", "0" * 40])
async def test_only_a_commit_that_exists_is_exported(
    testbed: Testbed, repository: Repository, tmp_path: Path, sha: str
) -> None:
    """Neither an option nor a name passes for a commit id."""
    with pytest.raises(GitHubError):
        await build_checkouts(testbed, tmp_path).export(repository, sha=sha)


async def test_a_killed_fetch_and_a_broken_mirror_are_mended(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """Left locks are cleared away; a damaged mirror is thrown away and fetched anew."""
    checkouts = build_checkouts(testbed, tmp_path)
    mirror = (await checkouts.export(repository)).mirror
    (mirror / "packed-refs.lock").touch()
    (mirror / "HEAD.lock").touch()
    await checkouts.export(repository)
    for pack in mirror.glob("objects/**/*"):
        if pack.is_file():
            pack.chmod(0o644)
            pack.write_bytes(b"broken")
    testbed.commit(repository.full_name, {"unix.txt": b"after\n"}, branch="main")

    mended = await checkouts.export(repository)

    assert (mended.tree / "unix.txt").read_bytes() == b"after\n"


async def test_two_processes_may_share_a_mirror(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """Exports at the same time give whole trees of their own."""
    several = [build_checkouts(testbed, tmp_path) for _ in range(4)]

    done = await asyncio.gather(*(checkouts.export(repository) for checkouts in several))

    assert len({checkout.tree for checkout in done}) == 4
    assert {b"no newline"} == {(checkout.tree / "no-end").read_bytes() for checkout in done}


async def test_release_and_drop_leave_nothing(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """A released tree is gone, twice is no error; dropping a repository removes mirror and trees."""
    checkouts = build_checkouts(testbed, tmp_path)
    first, second = await checkouts.export(repository), await checkouts.export(repository)

    await checkouts.release(first)
    await checkouts.release(first)
    assert (first.tree.exists(), second.tree.exists()) == (False, True)
    await checkouts.drop(repository)

    assert (second.tree.exists(), second.mirror.exists()) == (False, False)


@pytest.mark.parametrize(
    "limits",
    [TreeLimits(files=3), TreeLimits(total_bytes=50), TreeLimits(file_bytes=20)],
    ids=["files", "bytes", "one file"],
)
async def test_a_tree_beyond_the_limits_is_refused_and_removed(
    testbed: Testbed, repository: Repository, tmp_path: Path, limits: TreeLimits
) -> None:
    """The error names the limits; nothing half-written stays."""
    with pytest.raises(GitHubError, match="larger than") as caught:
        await build_checkouts(testbed, tmp_path, tree=limits).export(repository)

    assert not caught.value.retryable
    assert list((tmp_path / "trees").glob("*")) == []


async def test_a_fetch_beyond_its_limits_is_stopped(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """Time and size of one git process are bounded; the next attempt starts clean."""
    with pytest.raises(GitHubError, match="stopped after"):
        await build_checkouts(testbed, tmp_path / "a", git=GitLimits(seconds=0.001)).export(repository)
    with pytest.raises(GitHubError):
        await build_checkouts(testbed, tmp_path / "b", git=GitLimits(file_bytes=64)).export(repository)

    assert (await build_checkouts(testbed, tmp_path / "b").export(repository)).tree.exists()


async def test_a_deleted_repository_is_gone_for_checkouts_too(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """The same error as everywhere."""
    testbed.person("owner").ask("DELETE", f"/repos/{repository.full_name}")

    with pytest.raises(RepositoryGoneError):
        await build_checkouts(testbed, tmp_path).export(repository)


async def test_a_renamed_repository_keeps_its_mirror(
    testbed: Testbed, repository: Repository, tmp_path: Path
) -> None:
    """The mirror is named by the repository's number."""
    checkouts = build_checkouts(testbed, tmp_path)
    before = await checkouts.export(repository)
    testbed.rename(repository)

    after = await checkouts.export(repository)

    assert (before.mirror, before.sha) == (after.mirror, after.sha)
