"""The one check run of a run on one commit, found again by its external id."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from github.CheckRun import CheckRun
from github.Commit import Commit

from bot.errors import GitHubError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from github.Repository import Repository as RemoteRepository

NAME = "Suture"
LABEL, DESCRIPTION, IDENTIFIER, BUTTONS = 20, 40, 20, 3  # GitHub's limits
LONGEST_SUMMARY = 65_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckState:
    """What a check run shows; ``actions`` are (label, description, id) of at most three buttons."""

    key: str
    head_sha: str
    status: str
    conclusion: str = ""
    title: str = ""
    summary: str = ""
    actions: Sequence[tuple[str, str, str]] = ()


def write_check(repository: RemoteRepository, state: CheckState, *, known: int | None) -> int:
    """Create or update the check run; ``known`` is its id when this process wrote it before."""
    run = known if known is not None else _find(repository, state)
    if run is None:
        created = repository.create_check_run(
            name=NAME, head_sha=state.head_sha, external_id=state.key, **_shown(state)
        )
        return created.id
    try:
        CheckRun(repository.requester, url=f"{repository.url}/check-runs/{run}").edit(**_shown(state))
    except GitHubError as error:
        if known is None or error.status != HTTPStatus.NOT_FOUND:
            raise
        return write_check(repository, state, known=None)
    return run


def _find(repository: RemoteRepository, state: CheckState) -> int | None:
    commit = Commit(repository.requester, url=f"{repository.url}/commits/{state.head_sha}")
    # "all": the latest of a name alone would hide the run of another report on the same commit.
    for run in commit.get_check_runs(check_name=NAME, filter="all"):
        if run.external_id == state.key:
            return run.id
    return None


def _shown(state: CheckState) -> dict[str, Any]:
    shown: dict[str, Any] = {"status": state.status}
    if state.conclusion:
        shown["conclusion"] = state.conclusion
    if state.title or state.summary:
        shown["output"] = {"title": state.title, "summary": state.summary[:LONGEST_SUMMARY]}
    if state.actions:
        shown["actions"] = [
            {"label": label[:LABEL], "description": text[:DESCRIPTION], "identifier": name[:IDENTIFIER]}
            for label, text, name in state.actions[:BUTTONS]
        ]
    return shown
