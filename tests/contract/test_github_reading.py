"""The ``GitHub`` port, as far as it reads and speaks: the same for the fake and for the real adapter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.errors import GitHubError, RepositoryGoneError

if TYPE_CHECKING:
    from tests.contract.worlds import GitWorld, World

FILES = {"README.md": b"hello\r\n", "src/app.py": b"print(1)"}


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        ("owner", {"admin"}),
        ("maintainer", {"write"}),
        ("triager", {"triage"}),
        ("stranger", {"read", "none"}),
        ("nobody-of-that-name", {"none"}),
    ],
)
async def test_permission_is_the_role(world: World, login: str, expected: set[str]) -> None:
    """The role is GitHub's own; somebody unknown has none."""
    repository = world.repository(FILES)

    assert await world.client().permission(repository, login) in expected


async def test_files_come_byte_for_byte(git_world: GitWorld) -> None:
    """Line endings and a missing final newline survive; what is not there is None; a branch can be named."""
    repository = git_world.repository(FILES)
    git_world.commit(repository, "other", {"README.md": b"other\n"})
    client = git_world.client()

    assert await client.read_file(repository, "README.md") == b"hello\r\n"
    assert await client.read_file(repository, "src/app.py") == b"print(1)"
    assert await client.read_file(repository, "README.md", ref="other") == b"other\n"
    assert await client.read_file(repository, "missing/file.txt") is None
    assert await client.read_file(repository, "src") is None


async def test_an_issue_becomes_a_report(world: World) -> None:
    """Title, text and key of an issue are its report's."""
    repository = world.repository(FILES)
    subject = world.issue(repository, "Path traversal in upload", "CWE-22: `../` is not removed")

    report = await world.client().report(repository, subject)

    assert (subject.key, "Path traversal in upload") == (report.id, report.title)
    assert report.cwes == ("CWE-22",)


async def test_a_reaction_is_put_once(world: World) -> None:
    """The same reaction twice is one; on the comment that asked, or on the issue."""
    repository = world.repository(FILES)
    issue = world.issue(repository, "t", "b")
    assert issue.number is not None
    comment = replace(issue, comment_id=world.comment(repository, issue.number, "/patch"))
    client = world.client()

    for subject in (issue, comment, comment):
        await client.react(repository, subject, "eyes")

    assert world.reactions(repository, issue) == ["eyes"]
    assert world.reactions(repository, comment) == ["eyes"]


async def test_a_reaction_to_a_deleted_comment_is_no_error(world: World) -> None:
    """People delete comments; there is nothing to do then."""
    repository = world.repository(FILES)

    await world.client().react(
        repository, replace(world.issue(repository, "t", "b"), comment_id=987654), "eyes"
    )


async def test_one_comment_per_key_even_after_a_restart(world: World) -> None:
    """Said three times by two processes: one comment, with the last words; another key has its own."""
    repository = world.repository(FILES)
    number = world.issue(repository, "t", "b").number
    assert number is not None
    first, second = world.client(), world.client()

    ids = [
        await first.sticky_comment(repository, number, "run-1", "working"),
        await first.sticky_comment(repository, number, "run-1", "still working"),
        await second.sticky_comment(repository, number, "run-1", "done"),
    ]
    await second.sticky_comment(repository, number, "run-2", "another")

    assert len(set(ids)) == 1
    bodies = [comment.body for comment in world.comments(repository, number)]
    assert len(bodies) == 2
    assert "done" in bodies[0]
    assert "working" not in bodies[0]
    assert "another" in bodies[1]


async def test_a_strangers_copy_of_the_mark_is_left_alone(git_world: GitWorld) -> None:
    """Somebody who copies our comment with its hidden mark keeps his own words."""
    repository = git_world.repository(FILES)
    number = git_world.issue(repository, "t", "b").number
    assert number is not None
    await git_world.client().sticky_comment(repository, number, "run-1", "first")
    copied = git_world.comments(repository, number)[0].body
    other = git_world.issue(repository, "t2", "b").number
    assert other is not None
    git_world.comment(repository, other, copied)

    await git_world.client().sticky_comment(repository, other, "run-1", "mine")

    theirs, ours = git_world.comments(repository, other)
    assert copied == theirs.body
    assert git_world.bot == ours.author


async def test_one_check_per_key_and_commit(world: World) -> None:
    """Live updates change one check run, also after a restart; another commit or key has its own."""
    repository = world.repository(FILES)
    head = world.head(repository)
    actions = [("Approve", "Open the pull request", "approve")]
    first, second = world.client(), world.client()

    ids = [
        await first.check(repository, head, "run-1", status="queued", title="Waiting", summary="-"),
        await first.check(repository, head, "run-1", status="in_progress", title="At work", summary="-"),
        await second.check(
            repository,
            head,
            "run-1",
            status="completed",
            conclusion="success",
            title="Done",
            summary="-",
            actions=actions,
        ),
    ]
    await second.check(repository, head, "run-2", status="queued", title="Other", summary="-")
    moved = world.commit(repository, "main", {"new.txt": b"1"})
    await second.check(repository, moved, "run-1", status="queued", title="New head", summary="-")

    assert len(set(ids)) == 1
    done, other = sorted(world.checks(repository, head), key=lambda check: check.key)
    assert (done.key, done.status, done.conclusion, done.title) == ("run-1", "completed", "success", "Done")
    assert done.buttons == ("Approve",)
    assert other.key == "run-2"
    assert [check.key for check in world.checks(repository, moved)] == ["run-1"]


async def test_open_pull_requests_are_found_by_what_they_name(world: World) -> None:
    """A whole word of title, body or branch counts; a longer number does not."""
    repository = world.repository(FILES)
    named = world.open_pull(repository, "fix-1", "Fix upload", "Closes #12 and GHSA-aaaa-bbbb-cccc")
    longer = world.open_pull(repository, "fix-2", "Fix #123", "")
    client = world.client()

    assert [named] == [pull.number for pull in await client.open_pull_requests(repository, ["#12"])]
    assert [named] == [
        pull.number for pull in await client.open_pull_requests(repository, ["ghsa-aaaa-bbbb-cccc"])
    ]
    assert [longer] == [pull.number for pull in await client.open_pull_requests(repository, ["fix-2"])]
    assert await client.open_pull_requests(repository, []) == []


async def test_labels_are_added_and_kept(world: World) -> None:
    """Labels join those that are there."""
    repository = world.repository(FILES)
    number = world.open_pull(repository, "fix", "Fix", "")
    client = world.client()

    await client.add_labels(repository, number, ["security"])
    await client.add_labels(repository, number, ["needs-human", "security"])

    assert world.labels(repository, number) == {"security", "needs-human"}


async def test_a_repository_is_seen_as_it_is_now(world: World) -> None:
    """Renamed and archived: the number is what stays."""
    repository = world.repository(FILES)
    world.archive(repository)
    assert (await world.client().refresh(repository)).archived
    renamed = world.rename(repository)

    now = await world.client().refresh(repository)

    assert (repository.id, renamed, "main") == (now.id, now.full_name, now.default_branch)


async def test_a_renamed_repository_is_still_served(git_world: GitWorld) -> None:
    """Work that began under the old name ends under the new one, reads and writes alike."""
    repository = git_world.repository(FILES)
    number = git_world.issue(repository, "t", "b").number
    assert number is not None
    renamed = replace(repository, full_name=git_world.rename(repository))
    client = git_world.client()

    assert await client.read_file(repository, "README.md", ref="main") == b"hello\r\n"
    await client.sticky_comment(repository, number, "run-1", "said")

    assert len(git_world.comments(renamed, number)) == 1


async def test_a_deleted_repository_is_gone(world: World) -> None:
    """Every kind of call says so, not that a file is missing."""
    repository = world.repository(FILES)
    world.delete(repository)
    client = world.client()

    with pytest.raises(RepositoryGoneError):
        await client.refresh(repository)
    with pytest.raises(RepositoryGoneError):
        await client.read_file(repository, "README.md")
    with pytest.raises(RepositoryGoneError):
        await client.sticky_comment(repository, 1, "run-1", "x")


async def test_a_missing_pull_request_is_an_error_of_its_own(world: World) -> None:
    """A 404 below a repository that exists is no lost repository, and trying again does not help."""
    repository = world.repository(FILES)

    with pytest.raises(GitHubError) as caught:
        await world.client().pull_request(repository, 4321)

    assert (caught.value.status, caught.value.retryable) == (404, False)
    assert not isinstance(caught.value, RepositoryGoneError)
