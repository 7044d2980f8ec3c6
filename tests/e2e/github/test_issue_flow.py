"""From an issue to a draft pull request, over the wire."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from agent.domain.run import Outcome
from tests.fakes.engine import build_result

if TYPE_CHECKING:
    from bot.ports import RepairRequest
    from handlers.intents import Repository
    from tests.e2e.github.suture import Suture

pytestmark = [pytest.mark.testbed, pytest.mark.timeout(180)]


def test_a_labelled_issue_becomes_a_draft_pull_request(suture: Suture, repository: Repository) -> None:
    """One draft with the patch, one check with the evidence, one comment that names it."""
    bed = suture.bed
    issue = bed.issue(repository, "Path traversal in upload", "`../` is not removed")
    bed.label(repository, issue, "security", by="maintainer")

    (run,) = suture.settled(repository)
    suture.idle()

    (pull,) = bed.pulls(repository)
    assert (pull["draft"], pull["head"]["ref"]) == (True, f"suture/issue-{issue.number}-1")
    assert (run.outcome, run.pull_number) == ("fixed", pull["number"])
    assert bed.file(repository.full_name, "app.py", pull["head"]["ref"]) == b"fixed\n"
    assert bed.file(repository.full_name, "README.md", pull["head"]["ref"]) == b"# demo\n"
    (comment,) = bed.comments(repository, issue)
    assert pull["html_url"] in comment["body"]
    assert comment["user"]["login"] == "suture[bot]"
    assert len(comment["body"].splitlines()) <= 25
    (check,) = bed.checks(repository, pull["head"]["sha"])
    assert (check["name"], check["external_id"], check["conclusion"]) == ("Suture", run.id, "success")
    assert "the proof of concept" in check["output"]["summary"]


def test_an_issue_opened_with_the_label_runs_once(suture: Suture, repository: Repository) -> None:
    """GitHub tells of it twice, as opened and as labelled."""
    issue = suture.bed.issue(repository, "Injection", "details", labels=("security",), by="maintainer")

    suture.settled(repository)
    suture.idle()

    assert len(suture.runs(repository)) == 1
    assert len(suture.bed.pulls(repository)) == 1
    assert len(suture.bed.comments(repository, issue)) == 1


def test_another_label_is_none_of_our_business(suture: Suture, repository: Repository) -> None:
    """Neither a word, nor a clone, nor a question."""
    issue = suture.bed.issue(repository, "Typo", "in the readme")
    suture.bed.label(repository, issue, "documentation")

    suture.idle()

    assert suture.runs(repository) == []
    assert suture.bed.comments(repository, issue) == []


@pytest.mark.parametrize(
    ("outcome", "word"),
    [(Outcome.NOT_REPRODUCED, "retry"), (Outcome.DECLINED, "not taken on"), (Outcome.NO_PATCH, "retry")],
)
def test_without_a_patch_there_is_a_reason_and_no_pull_request(
    suture: Suture, repository: Repository, outcome: Outcome, word: str
) -> None:
    """A polite comment instead."""
    suture.engine.of(repository).results = [build_result(outcome)]
    issue = suture.bed.issue(repository, "Maybe", "details", labels=("security",), by="maintainer")

    (run,) = suture.settled(repository)
    suture.idle()

    assert run.outcome == outcome
    assert suture.bed.pulls(repository) == []
    (comment,) = suture.bed.comments(repository, issue)
    assert "as scripted" in comment["body"]
    assert word in comment["body"]


def test_a_human_pull_request_for_the_report_is_linked_not_doubled(
    suture: Suture, repository: Repository
) -> None:
    """Somebody is faster: we name their pull request and stop."""
    bed, name = suture.bed, repository.full_name
    issue = bed.issue(repository, "Traversal", "details")
    bed.commit(name, {"app.py": b"by hand\n"}, branch="fix", create=True, parent=bed.head(name))
    wanted = {"title": "Fix", "head": "fix", "base": "main", "body": f"Closes #{issue.number}"}
    theirs = bed.person("maintainer").ask("POST", f"/repos/{name}/pulls", wanted)
    bed.label(repository, issue, "security")

    suture.idle()

    assert [pull["number"] for pull in bed.pulls(repository)] == [theirs["number"]]
    assert any(theirs["html_url"] in comment["body"] for comment in bed.comments(repository, issue))
    assert suture.engine.of(repository).requests == []


def test_a_patch_that_touches_a_workflow_is_never_published(suture: Suture, repository: Repository) -> None:
    """The result stays with the operator; the issue hears why."""
    result = build_result()
    assert result.candidate is not None
    evil = replace(result.candidate, changes={".github/workflows/ci.yml": b"on: push\n"})
    suture.engine.of(repository).results = [replace(result, candidate=evil)]
    issue = suture.bed.issue(repository, "X", "details", labels=("security",), by="maintainer")

    suture.settled(repository)
    suture.idle()

    assert suture.bed.pulls(repository) == []
    assert any("workflow" in comment["body"] for comment in suture.bed.comments(repository, issue))


def test_a_base_that_moved_meanwhile_is_no_obstacle(suture: Suture, repository: Repository) -> None:
    """The draft stands on the commit the run saw; nobody's newer work is in the way or lost."""
    bed, name = suture.bed, repository.full_name
    start = bed.head(name)

    def move(_: RepairRequest) -> None:
        bed.commit(name, {"other.py": b"1\n"}, branch="main")

    suture.engine.of(repository).on_start = move
    bed.issue(repository, "X", "details", labels=("security",), by="maintainer")

    suture.settled(repository)
    suture.idle()

    (pull,) = bed.pulls(repository)
    commit = bed.person("owner").ask("GET", f"/repos/{name}/git/commits/{pull['head']['sha']}")
    assert [parent["sha"] for parent in commit["parents"]] == [start]
    assert bed.head(name) != start
