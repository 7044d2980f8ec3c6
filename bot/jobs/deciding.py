"""What becomes of a finished run: a pull request, words, a wait for approval, or nothing. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from agent.domain.run import Outcome
from bot.repo_config import Unproven

if TYPE_CHECKING:
    from agent.domain.run import RunResult
    from bot.repo_config import RepoConfig
    from bot.store.runs import Run


class Ending(StrEnum):
    """The ways a run ends."""

    PULL_REQUEST = "pull_request"
    COMMENT = "comment"
    WAIT = "wait"
    NOTHING = "nothing"


def ending(run: Run, result: RunResult, config: RepoConfig) -> Ending:
    """Return what is done with a result.

    A private one with a patch waits for a person, one without is kept; an unproven patch goes where the
    repository wants it; an empty patch is never published.
    """
    good = result.outcome in {Outcome.FIXED, Outcome.UNPROVEN}
    patched = good and result.candidate is not None and bool(result.candidate.changes)
    if run.approved_by:
        return Ending.PULL_REQUEST if patched else Ending.NOTHING
    if run.private:
        return Ending.WAIT if patched else Ending.NOTHING
    if result.outcome is Outcome.FIXED and patched:
        return Ending.PULL_REQUEST
    if result.outcome is Outcome.UNPROVEN and patched:
        return _UNPROVEN[config.publish.unproven]
    return Ending.COMMENT


_UNPROVEN = {
    Unproven.PULL_REQUEST: Ending.PULL_REQUEST,
    Unproven.COMMENT: Ending.WAIT,
    Unproven.NONE: Ending.NOTHING,
}
