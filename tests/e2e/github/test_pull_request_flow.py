"""What happens to Suture's own pull request: reviews, failing checks, people's commits, the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from handlers import subjects
from tests.e2e.github.suture import wait_for
from tests.fakes.engine import build_result

if TYPE_CHECKING:
    from handlers.intents import Repository
    from tests.e2e.github.suture import Suture

pytestmark = [pytest.mark.testbed, pytest.mark.timeout(240)]


@pytest.fixture
def pull(suture: Suture, repository: Repository) -> dict[str, Any]:
    """Return a draft that Suture opened; further patches differ."""
    results = [build_result(content=f"fixed {number}\n".encode()) for number in range(5)]
    suture.engine.of(repository).results = list(results)
    suture.bed.issue(repository, "Traversal", "details", labels=("security",), by="maintainer")
    suture.settled(repository)
    suture.idle()
    (made,) = suture.bed.pulls(repository)
    return dict(made)


def now(suture: Suture, repository: Repository) -> dict[str, Any]:
    """Return the only pull request as it is now."""
    (found,) = suture.bed.pulls(repository)
    return dict(found)


def review(suture: Suture, repository: Repository, pull: dict[str, Any], event: str, by: str) -> None:
    """Review the pull request as a person."""
    path = f"/repos/{repository.full_name}/pulls/{pull['number']}/reviews"
    suture.bed.person(by).ask("POST", path, {"event": event, "body": "Also check for symlinks."})


def fail_check(suture: Suture, repository: Repository, pull: dict[str, Any]) -> None:
    """Let a check of somebody else fail on the head of the pull request."""
    run = {
        "id": 55,
        "name": "unit tests",
        "head_sha": pull["head"]["sha"],
        "status": "completed",
        "conclusion": "failure",
        "external_id": "",
        "app": {"id": 1, "slug": "ci"},
        "check_suite": {"head_branch": pull["head"]["ref"]},
        "pull_requests": [{"number": pull["number"]}],
        "output": {"title": "1 failed", "summary": "test_upload"},
    }
    suture.bed.emit("check_run", suture.bed.payload(repository, "completed", "owner", check_run=run))


def test_changes_requested_become_a_further_commit(
    suture: Suture, repository: Repository, pull: dict[str, Any]
) -> None:
    """The reviewer's words reach the engine; the same pull request gets a commit on top."""
    review(suture, repository, pull, "REQUEST_CHANGES", "maintainer")

    suture.settled(repository, 2)
    suture.idle()

    after = now(suture, repository)
    path = f"/repos/{repository.full_name}/git/commits/{after['head']['sha']}"
    commit = suture.bed.person("owner").ask("GET", path)
    assert "symlinks" in suture.engine.of(repository).requests[-1].feedback
    assert [parent["sha"] for parent in commit["parents"]] == [pull["head"]["sha"]]
    assert suture.bed.file(repository.full_name, "app.py", after["head"]["ref"]) == b"fixed 1\n"
    assert [check["conclusion"] for check in suture.bed.checks(repository, after["head"]["sha"])] == [
        "success"
    ]


@pytest.mark.parametrize(("event", "by"), [("REQUEST_CHANGES", "stranger"), ("COMMENT", "maintainer")])
def test_other_reviews_change_nothing(
    suture: Suture, repository: Repository, pull: dict[str, Any], event: str, by: str
) -> None:
    """Those of people who may not write, and those that request nothing."""
    review(suture, repository, pull, event, by)

    suture.idle()

    assert len(suture.runs(repository)) == 1
    assert now(suture, repository)["head"]["sha"] == pull["head"]["sha"]


def test_failing_checks_are_answered_twice_then_a_human_is_asked(
    suture: Suture, repository: Repository, pull: dict[str, Any]
) -> None:
    """Each head once; after the limit a label and words, no third attempt."""
    fail_check(suture, repository, pull)
    fail_check(suture, repository, pull)  # another job of the same run
    suture.settled(repository, 2)
    suture.idle()
    fail_check(suture, repository, now(suture, repository))
    suture.settled(repository, 3)
    suture.idle()
    fail_check(suture, repository, now(suture, repository))
    suture.idle()

    after = now(suture, repository)
    assert len(suture.runs(repository)) == 3
    assert "needs-human" in [label["name"] for label in after["labels"]]
    assert "test_upload" in suture.engine.of(repository).requests[1].feedback


def test_a_persons_commit_hands_the_branch_over(
    suture: Suture, repository: Repository, pull: dict[str, Any]
) -> None:
    """Neither a failing check nor a review makes Suture push there again."""
    bed, branch = suture.bed, pull["head"]["ref"]
    theirs = bed.commit(repository.full_name, {"app.py": b"mine\n"}, branch=branch, by="maintainer")
    suture.idle()
    fail_check(suture, repository, now(suture, repository))
    review(suture, repository, pull, "REQUEST_CHANGES", "owner")
    suture.idle()

    assert bed.head(repository.full_name, branch) == theirs
    assert len(suture.runs(repository)) == 1


def test_a_command_refines_on_top_of_a_persons_commit(
    suture: Suture, repository: Repository, pull: dict[str, Any]
) -> None:
    """Asked for, it adds; it never takes their commit away."""
    bed, branch = suture.bed, pull["head"]["ref"]
    theirs = bed.commit(repository.full_name, {"README.md": b"mine\n"}, branch=branch, by="maintainer")
    suture.idle()
    place = subjects.pull(pull["number"])
    bed.comment(repository, place, "/patch refine close the file too", by="maintainer")

    suture.settled(repository, 2)
    suture.idle()

    after = now(suture, repository)
    path = f"/repos/{repository.full_name}/git/commits/{after['head']['sha']}"
    commit = bed.person("owner").ask("GET", path)
    assert [parent["sha"] for parent in commit["parents"]] == [theirs]
    assert bed.file(repository.full_name, "README.md", branch) == b"mine\n"


def test_a_commit_during_a_refinement_is_not_written_over(
    suture: Suture, repository: Repository, pull: dict[str, Any]
) -> None:
    """Somebody pushes while the engine works: the head is compared before the write."""
    bed, branch = suture.bed, pull["head"]["ref"]
    engine, pushed = suture.engine.of(repository), []

    def push(_: object) -> None:
        pushed.append(bed.commit(repository.full_name, {"x": b"1"}, branch=branch, by="maintainer"))

    engine.on_start = push
    review(suture, repository, pull, "REQUEST_CHANGES", "maintainer")

    suture.settled(repository, 2)
    suture.idle()

    assert [bed.head(repository.full_name, branch)] == pushed


def test_a_rejection_is_recorded_and_a_closed_one_stays_closed(
    suture: Suture, repository: Repository, pull: dict[str, Any]
) -> None:
    """People decide; a failing check afterwards wakes nobody."""
    path = f"/repos/{repository.full_name}/pulls/{pull['number']}"
    suture.bed.person("maintainer").ask("PATCH", path, {"state": "closed"})
    suture.idle()
    fail_check(suture, repository, pull)
    suture.idle()

    feedback = suture.app.store.pulls.feedback(repository.id)
    assert "closed" in {item.what for item in feedback}
    assert len(suture.runs(repository)) == 1
    assert now(suture, repository)["state"] == "closed"


def test_a_merge_is_recorded(suture: Suture, repository: Repository, pull: dict[str, Any]) -> None:
    """What people merge is what later learning rests on."""
    path = f"/repos/{repository.full_name}/pulls/{pull['number']}"
    suture.bed.person("owner").ask("PATCH", path, {"draft": False})
    suture.bed.person("owner").ask("PUT", f"{path}/merge", {})

    wait_for(lambda: suture.app.store.pulls.feedback(repository.id))

    assert {item.what for item in suture.app.store.pulls.feedback(repository.id)} == {"merged"}
