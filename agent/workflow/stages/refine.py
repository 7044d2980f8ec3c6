"""Refine: improve the best candidate so far from the rows it failed, instead of throwing it away."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.workflow.stages.generate import collect
from agent.workflow.state import Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from agent.workflow.state import RunState, Tools


async def refine(state: RunState, tools: Tools) -> Step:
    """Return ``again`` with improved candidates, ``exhausted`` when none is left to try."""
    best = state.attempts[0]
    if state.rounds >= tools.config.refine_rounds:
        return _exhausted(
            state, f"{state.rounds} rounds of refinement; the best patch still fails: {best.reason}"
        )
    state = dataclasses.replace(state, rounds=state.rounds + 1)
    state = await collect(state, tools)
    if not state.pool:
        return _exhausted(state, f"the best patch fails: {best.reason}")
    return Step(
        result=Result.AGAIN,
        summary=f"round {state.rounds}: {len(state.pool)} improved candidates for: {best.reason}",
        state=state,
    )


def _exhausted(state: RunState, summary: str) -> Step:
    return Step(result=Result.EXHAUSTED, summary=summary, state=state)
