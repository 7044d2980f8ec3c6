"""From a labelled issue to a draft pull request, over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from handlers.intents import Repository
    from tests.e2e.github.suture import Suture

pytestmark = [pytest.mark.testbed, pytest.mark.timeout(120)]


def test_a_labelled_issue_becomes_a_draft_pull_request(suture: Suture, repository: Repository) -> None:
    """One draft with the patch, one check with the evidence, one comment that names it."""
    issue = suture.bed.issue(repository, "Path traversal in upload", "`../` is not removed")
    suture.bed.label(repository, issue, "security", by="maintainer")

    (run,) = suture.settled(repository)

    print(run)
    (pull,) = suture.bed.pulls(repository)
    assert (pull["draft"], pull["head"]["ref"]) == (True, f"suture/issue-{issue.number}-1")
    assert suture.bed.file(repository.full_name, "app.py", pull["head"]["ref"]) == b"fixed\n"
    (comment,) = suture.bed.comments(repository, issue)
    assert pull["html_url"] in comment["body"]
    assert comment["user"]["login"] == "suture[bot]"
    (check,) = suture.bed.checks(repository, pull["head"]["sha"])
    assert (check["name"], check["conclusion"]) == ("Suture", "success")
