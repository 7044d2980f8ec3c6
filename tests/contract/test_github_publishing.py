"""The ``GitHub`` port, as far as it publishes: the same for the fake and for the real adapter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.errors import GitHubError
from bot.ports import Publication

if TYPE_CHECKING:
    from handlers.intents import Repository
    from tests.contract.worlds import GitWorld, World

FILES = {
    "app.py": b"import os\r\nos.system(x)\r\n",
    "bin/run.sh": b"#!/bin/sh\necho old\n",
    "docs/end.txt": b"no newline at the end",
    "gone.txt": b"bye\n",
    "data.bin": b"\x00\xff\x00",
    "link": b"app.py",
}
MODES = {"bin/run.sh": "100755", "link": "120000"}
BRANCH = "suture/issue-1-1"
CHANGES: dict[str, bytes | None] = {
    "app.py": b"import subprocess\r\nsubprocess.run(x)\r\n",
    "bin/run.sh": b"#!/bin/sh\necho new\n",
    "docs/end.txt": b"still no newline",
    "gone.txt": None,
    "data.bin": b"\x00\xfe",
    "tests/test_new.py": "assert 'ä\u200b' # é\n".encode(),
}


def build_publication(world: World, repository: Repository, **changes: object) -> Publication:
    """Return a publication for a fresh issue, or with what is given instead."""
    settings: dict[str, object] = {
        "key": "run-1",
        "repository": repository,
        "subject": world.issue(repository, "t", "b"),
        "base_branch": "main",
        "base_sha": world.head(repository),
        "branch": BRANCH,
        "title": "Do not run input as a command",
        "body": "What was wrong, and the evidence.",
        "changes": CHANGES,
        "labels": ("security",),
        "reviewers": ("maintainer", "nobody-of-that-name"),
        **changes,
    }
    return Publication(**settings)  # type: ignore[arg-type]


async def test_a_patch_becomes_one_draft_with_its_bytes_and_modes(git_world: GitWorld) -> None:
    """Line endings, final newlines, binary content and the executable bit are as the patch and tree say."""
    repository = git_world.repository(FILES, MODES)

    pull = await git_world.client().publish(build_publication(git_world, repository))

    assert (BRANCH, "open", True, git_world.bot) == (pull.head_ref, pull.state, pull.draft, pull.author_login)
    assert git_world.head(repository, BRANCH) == pull.head_sha
    assert (git_world.head(repository),) == git_world.parents(repository, pull.head_sha)
    for path, content in CHANGES.items():
        expected = None if content is None else (MODES.get(path, "100644"), content)
        assert expected == git_world.entry(repository, BRANCH, path)
    assert git_world.entry(repository, BRANCH, "link") == ("120000", b"app.py")


async def test_labels_and_reviewers_are_set_and_a_refused_reviewer_is_no_failure(git_world: GitWorld) -> None:
    """Who is no collaborator is left out."""
    repository = git_world.repository(FILES, MODES)

    await git_world.client().publish(build_publication(git_world, repository))

    (pull,) = git_world.pulls(repository)
    assert (pull["labels"], pull["reviewers"]) == (["security"], ["maintainer"])
    assert "What was wrong, and the evidence." in pull["body"]


async def test_publishing_again_changes_nothing(world: World) -> None:
    """The same publication by the same and by a new process: one commit, one pull request."""
    repository = world.repository(FILES, MODES)
    publication = build_publication(world, repository)
    client = world.client()

    pulls = [await client.publish(publication), await client.publish(publication)]
    pulls.append(await world.client().publish(publication))

    assert len({(pull.number, pull.head_sha) for pull in pulls}) == 1
    assert len(world.pulls(repository)) == 1
    assert world.head(repository, BRANCH) == pulls[0].head_sha


async def test_a_refined_patch_is_a_further_commit(git_world: GitWorld) -> None:
    """The old head is the parent; the body's section changes, what people added to it stays."""
    repository = git_world.repository(FILES, MODES)
    first = build_publication(git_world, repository)
    client = git_world.client()
    pull = await client.publish(first)
    git_world.edit_pull(
        repository, pull.number, body=git_world.pulls(repository)[0]["body"] + "\n\nAsk Alice."
    )

    refined = replace(
        first,
        key="run-2",
        expected_head=pull.head_sha,
        body="Better evidence.",
        changes={"app.py": b"better\r\n"},
    )
    again = await client.publish(refined)
    twice = await git_world.client().publish(refined)

    assert (pull.number, again) == (again.number, twice)
    assert (pull.head_sha,) == git_world.parents(repository, again.head_sha)
    assert git_world.entry(repository, BRANCH, "app.py") == ("100644", b"better\r\n")
    assert ("100755", CHANGES["bin/run.sh"]) == git_world.entry(repository, BRANCH, "bin/run.sh")
    body = git_world.pulls(repository)[0]["body"]
    assert "Better evidence." in body
    assert "What was wrong" not in body
    assert "Ask Alice." in body


async def test_a_humans_commit_is_never_overwritten(world: World) -> None:
    """Somebody pushed to the branch: nothing is written, trying again does not help."""
    repository = world.repository(FILES, MODES)
    first = build_publication(world, repository)
    pull = await world.client().publish(first)
    theirs = world.commit(repository, BRANCH, {"app.py": b"mine\r\n"})
    refined = replace(first, key="run-2", expected_head=pull.head_sha, changes={"app.py": b"ours\r\n"})

    with pytest.raises(GitHubError) as caught:
        await world.client().publish(refined)

    assert not caught.value.retryable
    assert theirs == world.head(repository, BRANCH)


async def test_somebody_elses_branch_of_that_name_is_left_alone(git_world: GitWorld) -> None:
    """A branch that was there before is not ours."""
    repository = git_world.repository(FILES, MODES)
    theirs = git_world.commit(repository, BRANCH, {"x": b"1"})

    with pytest.raises(GitHubError):
        await git_world.client().publish(build_publication(git_world, repository))

    assert theirs == git_world.head(repository, BRANCH)
    assert git_world.pulls(repository) == []


OUTSIDE = [
    pytest.param({"changes": {}}, id="empty"),
    pytest.param({"branch": "main"}, id="default branch"),
    pytest.param({"branch": "fix/issue-1"}, id="not our branch"),
    pytest.param({"changes": {".github/workflows/ci.yml": b"on: push"}}, id="workflow"),
    pytest.param({"changes": {".GitHub/Workflows/ci.yml": b"on: push"}}, id="workflow in capitals"),
    pytest.param({"changes": {"../outside": b"x"}}, id="outside"),
    pytest.param({"changes": {"/etc/passwd": b"x"}}, id="absolute"),
    pytest.param({"changes": {".git/config": b"x"}}, id="git's own"),
]
AGAINST_THE_TREE = [
    pytest.param({"changes": {"app.py": FILES["app.py"]}}, id="nothing changed"),
    pytest.param({"changes": {"missing.txt": None}}, id="deletes nothing"),
    pytest.param({"changes": {"link": b"x"}}, id="symbolic link"),
    pytest.param({"changes": {"link/inner": b"x"}}, id="below a link"),
]


async def refused(world: World, changes: dict[str, object]) -> None:
    """Publish what must be refused, and see that nothing was written and trying again would not help."""
    repository = world.repository(FILES, MODES)
    head = world.head(repository)

    with pytest.raises(GitHubError) as caught:
        await world.client().publish(build_publication(world, repository, **changes))

    assert not caught.value.retryable
    assert (world.head(repository), world.head(repository, BRANCH)) == (head, "")
    assert world.pulls(repository) == []


@pytest.mark.parametrize("changes", OUTSIDE)
async def test_what_is_never_written(world: World, changes: dict[str, object]) -> None:
    """Known without looking at the repository."""
    await refused(world, changes)


@pytest.mark.parametrize("changes", AGAINST_THE_TREE)
async def test_what_does_not_fit_the_tree_is_never_written(
    git_world: GitWorld, changes: dict[str, object]
) -> None:
    """Known from the commit the patch was made for."""
    await refused(git_world, changes)


async def test_an_archived_repository_takes_nothing(world: World) -> None:
    """It is read-only; the error says so and is not retried."""
    repository = world.repository(FILES, MODES)
    publication = build_publication(world, repository)
    world.archive(repository)

    with pytest.raises(GitHubError) as caught:
        await world.client().publish(publication)

    assert not caught.value.retryable
    assert "archived" in str(caught.value)


async def test_a_rejected_pull_request_stays_closed(world: World) -> None:
    """Publishing the same again returns the closed one: somebody decided."""
    repository = world.repository(FILES, MODES)
    publication = build_publication(world, repository)
    pull = await world.client().publish(publication)
    world.edit_pull(repository, pull.number, state="closed")

    again = await world.client().publish(publication)

    assert (pull.number, "closed") == (again.number, again.state)
    assert len(world.pulls(repository)) == 1


async def test_a_sign_off_is_made_only_when_asked_and_in_our_own_name(git_world: GitWorld) -> None:
    """The App's user signs off, nobody else."""
    repository = git_world.repository(FILES, MODES)

    plain = await git_world.client().publish(build_publication(git_world, repository))
    signed = await git_world.client().publish(
        build_publication(git_world, repository, key="run-2", branch="suture/issue-2-1", sign_off=True)
    )

    assert "Signed-off-by" not in git_world.message(repository, plain.head_sha)
    assert f"\nSigned-off-by: {git_world.bot} <" in git_world.message(repository, signed.head_sha)
