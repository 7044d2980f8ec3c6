"""Localize: the ranking, with the proof's coverage as a further signal."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING

from agent.workflow.state import Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from agent.workflow.state import RunState, Tools
    from retrieval.domain import RankedFile

_COVERAGE_BONUS = 0.15
"""Share of the best score that a file gains when the proof ran its code: it breaks near ties, it outvotes nothing."""


async def localize(state: RunState, tools: Tools) -> Step:
    """Return ``found`` with ranked files, ``nothing`` when none fits."""
    ranked = await asyncio.to_thread(
        tools.ranker.rank, state.report, tools.workspace.tree, k=tools.config.ranked_files
    )
    # The ranking knows the last commit; a file that is gone from the checkout cannot be patched.
    present = tuple(file for file in ranked if tools.workspace.read(file.path) is not None)
    files = with_coverage(present, state.covered)
    if not files:
        return Step(result=Result.NOTHING, summary="no file fits the report", state=state)
    first = ", ".join(file.path for file in files[:3])
    return Step(
        result=Result.FOUND,
        summary=f"{len(files)} files ranked, first {first}",
        state=dataclasses.replace(state, files=files),
    )


def with_coverage(ranked: tuple[RankedFile, ...], covered: frozenset[str]) -> tuple[RankedFile, ...]:
    """Return the ranking with covered files moved up a little, order otherwise kept."""
    if not covered or not ranked:
        return ranked
    bonus = _COVERAGE_BONUS * max(file.score for file in ranked)
    rescored = [
        dataclasses.replace(
            file,
            score=file.score + bonus,
            signals={**file.signals, "covered by the proof": 1.0},
        )
        if file.path in covered
        else file
        for file in ranked
    ]
    return tuple(sorted(rescored, key=lambda file: -file.score))
