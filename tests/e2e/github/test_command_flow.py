"""``/patch`` commands over the wire: who is obeyed, who is refused, what is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.domain.run import Outcome
from handlers import subjects
from tests.e2e.github.suture import wait_for
from tests.fakes.engine import build_result

if TYPE_CHECKING:
    from handlers.intents import Repository
    from tests.e2e.github.suture import Suture

pytestmark = [pytest.mark.testbed, pytest.mark.timeout(180)]


def reactions(suture: Suture, repository: Repository, comment: int) -> list[str]:
    """Return the reactions to a comment."""
    place = f"/repos/{repository.full_name}/issues/comments/{comment}"
    return sorted(what for where, _, what in suture.bed.state.reactions if where == place)


def ours(suture: Suture, repository: Repository, number: int) -> list[str]:
    """Return what Suture said on an issue or pull request."""
    said = suture.bed.comments(repository, subjects.issue(number))
    return [comment["body"] for comment in said if comment["user"]["login"] == "suture[bot]"]


def test_a_maintainers_command_is_obeyed(suture: Suture, repository: Repository) -> None:
    """Seen at once, accepted, and a draft pull request in the end."""
    issue = suture.bed.issue(repository, "Traversal", "details")
    comment = suture.bed.comment(repository, issue, "Please look.\n\n/patch", by="maintainer")

    suture.settled(repository)
    suture.idle()

    assert reactions(suture, repository, comment) == ["eyes", "rocket"]
    assert len(suture.bed.pulls(repository)) == 1


def test_a_stranger_is_refused_once_and_costs_nothing(suture: Suture, repository: Repository) -> None:
    """Refused before any clone or model call; silent after the first time."""
    issue = suture.bed.issue(repository, "Traversal", "details")
    for _ in range(3):
        suture.bed.comment(repository, issue, "/patch", by="stranger")
        suture.idle()

    assert suture.runs(repository) == []
    assert suture.engine.of(repository).requests == []
    assert len(ours(suture, repository, issue.number or 0)) == 1


def test_a_bot_is_not_obeyed_though_it_may_write(suture: Suture, repository: Repository) -> None:
    """Its role does not matter; nobody is answered, so that no two machines talk for ever."""
    bed = suture.bed
    issue = bed.issue(repository, "Traversal", "details")
    record = bed.person("owner").ask("GET", f"/repos/{repository.full_name}/issues/{issue.number}")
    comment = {"id": 987, "body": "/patch", "user": {"login": "helper[bot]", "id": 9, "type": "Bot"}}
    payload = bed.payload(repository, "created", "helper-bot", issue=record, comment=comment)
    payload["sender"] = comment["user"]
    bed.emit("issue_comment", payload)

    suture.idle()

    assert suture.runs(repository) == []
    assert ours(suture, repository, issue.number or 0) == []


@pytest.mark.parametrize(
    "body", ["> /patch", "```\n/patch\n```", "we could `/patch` it", "/patchwork is nice"]
)
def test_what_is_no_command_starts_nothing(suture: Suture, repository: Repository, body: str) -> None:
    """Quotes, code, words in the middle of a line."""
    issue = suture.bed.issue(repository, "Traversal", "details")
    suture.bed.comment(repository, issue, body, by="maintainer")

    suture.idle()

    assert suture.runs(repository) == []
    assert ours(suture, repository, issue.number or 0) == []


def test_two_commands_at_once_make_one_pull_request(suture: Suture, repository: Repository) -> None:
    """And a label on top of it."""
    issue = suture.bed.issue(repository, "Traversal", "details")
    suture.engine.of(repository).delay = 1.0
    suture.bed.comment(repository, issue, "/patch", by="maintainer")
    suture.bed.comment(repository, issue, "/patch", by="owner")
    suture.bed.label(repository, issue, "security")

    suture.settled(repository)
    suture.idle()

    assert len(suture.engine.of(repository).requests) == 1
    assert len(suture.bed.pulls(repository)) == 1


@pytest.mark.parametrize("command", ["status", "help", "trace", "backport 1.x", "explain", "nonsense"])
def test_every_command_is_answered(suture: Suture, repository: Repository, command: str) -> None:
    """In at most 25 lines, none of which reads as a command."""
    issue = suture.bed.issue(repository, "Traversal", "details")
    suture.bed.comment(repository, issue, f"/patch {command}", by="maintainer")

    suture.idle()

    (said,) = ours(suture, repository, issue.number or 0)
    assert len(said.splitlines()) <= 27  # two of them are the hidden marks
    assert not [line for line in said.splitlines() if line.lstrip().startswith("/patch")]
    assert suture.runs(repository) == []


def test_stop_ends_a_run_within_seconds(suture: Suture, repository: Repository) -> None:
    """The engine is cancelled; nothing is published."""
    issue = suture.bed.issue(repository, "Traversal", "details")
    engine = suture.engine.of(repository)
    engine.delay = 60.0
    suture.bed.comment(repository, issue, "/patch", by="maintainer")
    wait_for(lambda: engine.requests)
    suture.bed.comment(repository, issue, "/patch stop", by="maintainer")

    (run,) = suture.settled(repository)
    suture.idle()

    assert run.outcome == Outcome.CANCELLED
    assert wait_for(lambda: engine.cancelled) == 1
    assert suture.bed.pulls(repository) == []


def test_what_is_unproven_waits_for_approval(suture: Suture, repository: Repository) -> None:
    """A comment by default; the pull request after ``/patch approve`` by somebody who may."""
    issue = suture.bed.issue(repository, "Traversal", "details")
    suture.engine.of(repository).results = [build_result(Outcome.UNPROVEN)]
    suture.bed.comment(repository, issue, "/patch", by="maintainer")
    wait_for(lambda: [run for run in suture.runs(repository) if run.state == "waiting"])
    suture.idle()
    assert suture.bed.pulls(repository) == []
    suture.bed.comment(repository, issue, "/patch approve", by="stranger")
    suture.idle()
    assert suture.bed.pulls(repository) == []

    suture.bed.comment(repository, issue, "/patch approve", by="maintainer")
    (pull,) = wait_for(lambda: suture.bed.pulls(repository))
    suture.idle()

    assert pull["draft"]
