"""Advisories, alerts, pushes, installations, lost deliveries, and repositories that change under our hands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bot.jobs import sweeping
from tests.e2e.github.suture import wait_for
from tests.testbed.world import INSTALLATION_ID, ORGANISATION

if TYPE_CHECKING:
    from handlers.intents import Repository
    from tests.e2e.github.suture import Suture

pytestmark = [pytest.mark.testbed, pytest.mark.timeout(240)]

GHSA = "GHSA-2345-cfgh-jmpq"
ALERTS = b"triggers:\n  code_scanning: low\n  dependabot: low\n"
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


def advisory_payload(suture: Suture, repository: Repository, action: str, **facts: Any) -> dict[str, Any]:
    """Return the event of an advisory, made from GitHub's own example."""
    made = suture.bed.extras.add_advisory(
        repository.full_name,
        ghsa_id=GHSA,
        summary="Secret words about the upload",
        description="The unspeakable details",
        **facts,
    )
    return suture.bed.payload(repository, action, "reporter", repository_advisory=made)


def test_a_private_report_leaves_no_public_trace(suture: Suture, repository: Repository) -> None:
    """No write of any kind reaches the repository, and none of its words reaches GitHub at all."""
    before = len(suture.bed.by_the_app())
    suture.bed.emit("repository_advisory", advisory_payload(suture, repository, "reported", state="triage"))
    (run,) = wait_for(lambda: [run for run in suture.runs(repository) if run.state == "waiting"])
    suture.idle()

    seen = suture.bed.by_the_app(before)
    place = f"/repos/{repository.full_name}"
    assert [item.path for item in seen if item.method in WRITES and item.path.startswith(place)] == []
    words = (b"secret words", b"unspeakable", GHSA.lower().encode())
    leaked = [item.path for item in seen if any(word in item.body.lower() for word in words)]
    leaked += [item.path for item in seen if GHSA.lower() in (item.path + item.query).lower()]
    assert leaked == []
    assert run.private
    assert run.outcome == "fixed"
    assert suture.app.store.runs.artifacts(run.id)


def test_a_published_advisory_is_answered_in_public(suture: Suture, repository: Repository) -> None:
    """What everybody may read may be fixed in the open."""
    suture.bed.emit(
        "repository_advisory", advisory_payload(suture, repository, "published", state="published")
    )

    suture.settled(repository)
    suture.idle()

    assert len(suture.bed.pulls(repository)) == 1


@pytest.mark.parametrize("event", ["code_scanning_alert", "dependabot_alert"])
@pytest.mark.parametrize("asked", [True, False])
def test_an_alert_becomes_a_pull_request_where_the_configuration_asks(
    suture: Suture, event: str, *, asked: bool
) -> None:
    """By default alerts start nothing."""
    config = {".github/suture.yml": ALERTS} if asked else {}
    repository = suture.bed.repository({"app.py": b"vulnerable\n", **config})
    add = (
        suture.bed.extras.add_code_scanning
        if event == "code_scanning_alert"
        else suture.bed.extras.add_dependabot
    )
    alert = add(repository.full_name, 7)
    suture.bed.emit(
        event, suture.bed.payload(repository, "created", "owner", alert=alert, ref="refs/heads/main")
    )

    if asked:
        suture.settled(repository)
    suture.idle()

    assert len(suture.bed.pulls(repository)) == int(asked)


def test_a_push_brings_the_index_up_to_date(suture: Suture, repository: Repository) -> None:
    """Of the default branch; a feature branch is nobody's business."""
    name = repository.full_name
    head = suture.bed.commit(name, {"new.py": b"1\n"}, branch="main")
    suture.bed.commit(name, {"x": b"1"}, branch="feature", create=True, parent=head)
    suture.bed.commit(name, {"x": b"2"}, branch="feature")

    suture.idle()

    updated = [(branch, sha) for full_name, branch, sha in suture.indexer.updated if full_name == name]
    assert updated == [("main", head)]


def test_a_bad_configuration_is_told_by_a_failing_check(suture: Suture, repository: Repository) -> None:
    """The check names line and key; the last good configuration stays in force."""
    path = f"/repos/{repository.full_name}/contents/.github/suture.yml"
    text = "dHJpZ2dlcnM6CiAgbGFibGVzOiBbeF0K"  # triggers: / lables: [x]
    suture.bed.person("owner").ask("PUT", path, {"message": "config", "content": text})

    suture.idle()
    head = suture.bed.head(repository.full_name)
    (check,) = wait_for(lambda: suture.bed.checks(repository, head))

    assert check["conclusion"] in {"failure", "action_required"}
    assert "lables" in str(check["output"])
    assert "2" in str(check["output"])


def test_a_removed_installation_loses_its_data(suture: Suture, repository: Repository) -> None:
    """Mirror, index and rows of the repository are gone; nothing more is asked of GitHub about it."""
    suture.bed.issue(repository, "X", "details", labels=("security",), by="maintainer")
    suture.settled(repository)
    suture.idle()
    mirror = suture.folder / "checkouts" / "mirrors" / f"{repository.id}.git"
    assert mirror.exists()
    removed = {"id": repository.id, "full_name": repository.full_name, "name": "x", "private": False}
    account = {"login": ORGANISATION, "id": 1, "type": "Organization"}
    suture.bed.emit(
        "installation_repositories",
        {
            "action": "removed",
            "installation": {"id": INSTALLATION_ID, "account": account},
            "repositories_added": [],
            "repositories_removed": [removed],
            "sender": account,
        },
    )

    suture.idle()
    wait_for(lambda: not mirror.exists())

    assert repository.full_name in suture.indexer.dropped


def test_a_delivery_that_was_lost_is_fetched_again(suture: Suture, repository: Repository) -> None:
    """The server was down when the issue was labelled; asked again, GitHub tells of it."""
    suture.bed.hooks.target = ""
    suture.bed.issue(repository, "X", "details", labels=("security",), by="maintainer")
    wait_for(lambda: not suture.bed.hooks.running)
    suture.bed.hooks.target = suture.url

    suture.call(sweeping.redeliver(suture.app.services))
    suture.settled(repository)
    suture.call(sweeping.redeliver(suture.app.services))
    suture.idle()

    assert len(suture.runs(repository)) == 1
    assert len(suture.bed.pulls(repository)) == 1


def test_a_repository_renamed_during_a_run_is_followed(suture: Suture, repository: Repository) -> None:
    """The pull request and the comment arrive under the new name."""

    def rename(_: object) -> None:
        suture.bed.rename(repository)

    suture.engine.of(repository).on_start = rename
    issue = suture.bed.issue(repository, "X", "details", labels=("security",), by="maintainer")

    suture.settled(repository)
    suture.idle()

    renamed = replace(repository, full_name=suture.bed.state.renamed_to(repository.full_name))
    assert len(suture.bed.pulls(renamed)) == 1
    assert len(suture.bed.comments(renamed, issue)) == 1


def test_a_repository_archived_during_a_run_takes_nothing(suture: Suture, repository: Repository) -> None:
    """The result stays with the operator; there is no second attempt."""

    def archive(_: object) -> None:
        path = f"/repos/{repository.full_name}"
        suture.bed.person("owner").ask("PATCH", path, {"archived": True})

    suture.engine.of(repository).on_start = archive
    suture.bed.issue(repository, "X", "details", labels=("security",), by="maintainer")

    (run,) = suture.settled(repository)
    suture.idle()

    assert suture.bed.pulls(repository) == []
    assert "archived" in run.reason


def test_a_repository_deleted_during_a_run_ends_it(suture: Suture, repository: Repository) -> None:
    """The run ends; nothing hangs."""

    def delete(_: object) -> None:
        suture.bed.person("owner").ask("DELETE", f"/repos/{repository.full_name}")

    suture.engine.of(repository).on_start = delete
    suture.bed.issue(repository, "X", "details", labels=("security",), by="maintainer")

    wait_for(
        lambda: [run for run in suture.runs(repository) if not run.active] or not suture.runs(repository)
    )
    suture.idle()
