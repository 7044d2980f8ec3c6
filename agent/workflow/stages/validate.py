"""Validate: hold each candidate against every row of the matrix, on a fresh copy, and keep the best."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.patches.git_diff import git_diff
from agent.patches.scope import diff_size
from agent.workflow.acceptance import decide, score
from agent.workflow.rows import build_matrix
from agent.workflow.state import Attempt, Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from agent.domain.patch import Candidate
    from agent.workflow.state import RunState, Tools


async def validate(state: RunState, tools: Tools) -> Step:
    """Return ``accepted`` with the first candidate that passes every required row, else ``rejected``."""
    attempts = list(state.attempts)
    for candidate in state.pool:
        tools.budget.check()
        attempt, accepted = await _attempt(candidate, state, tools)
        attempts.append(attempt)
        tools.trajectory.record("attempt", source=candidate.source, accepted=accepted, reason=attempt.reason)
        if accepted:
            done = dataclasses.replace(state, accepted=attempt, attempts=tuple(_ordered(attempts)), pool=())
            return Step(
                result=Result.ACCEPTED,
                summary=f"{candidate.source}: {len(attempt.matrix.rows)} rows, all required ones passed",
                state=done,
            )
        tools.observer.note(f"{candidate.source} refused: {attempt.reason}")
    ordered = _ordered(attempts)
    return Step(
        result=Result.REJECTED,
        summary=f"{len(state.pool)} candidate{'s' if len(state.pool) != 1 else ''} refused; the best fails: "
        f"{ordered[0].reason}",
        state=dataclasses.replace(state, attempts=tuple(ordered), pool=()),
    )


async def _attempt(candidate: Candidate, state: RunState, tools: Tools) -> tuple[Attempt, bool]:
    before = {path: tools.workspace.read(path) for path in candidate.changes}
    executable = frozenset(path for path in before if tools.workspace.executable(path))
    diff = git_diff(before, candidate.changes, executable)
    copy = tools.workspace.patched(candidate.changes)
    try:
        matrix = await build_matrix(candidate, diff, before, copy, state, tools)
    finally:
        tools.workspace.discard(copy)
    decision = decide(matrix, reproduced=state.reproduced, origin=candidate.origin)
    return Attempt(candidate=candidate, diff=diff, matrix=matrix, reason=decision.reason), decision.accepted


def _ordered(attempts: list[Attempt]) -> list[Attempt]:
    """Return the attempts, best first: fewest failing rows, then smallest."""

    def key(attempt: Attempt) -> tuple[int, int, int]:
        size = diff_size(attempt.diff)
        return score(attempt.matrix, size.added + size.removed)

    return sorted(attempts, key=key)
