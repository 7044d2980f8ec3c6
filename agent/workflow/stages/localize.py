"""Localize: the ranking with the proof's coverage as a further signal; a model narrows it to places."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.localizing.narrowing import narrow
from agent.localizing.places import joined
from agent.localizing.ranking import ranked_files
from agent.workflow.state import Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from agent.workflow.state import RunState, Tools
    from retrieval.domain import RankedFile

_COVERAGE_BONUS = 0.15
"""Share of the best score that a file gains when the proof ran its code: it breaks near ties, it outvotes nothing."""


async def localize(state: RunState, tools: Tools) -> Step:
    """Return ``found`` with ranked files, and with a model with places; ``nothing`` when no file fits."""
    files = with_coverage(await ranked_files(state, tools), state.covered)
    if not files:
        return Step(result=Result.NOTHING, summary="no file fits the report", state=state)
    found = dataclasses.replace(state, files=files)
    places = await narrow(found, tools, tools.models) if tools.models is not None else ()
    files = joined(files, places)
    first = ", ".join(file.path for file in files[:3])
    named = ", ".join(place.symbol or f"{place.path}:{place.start_line}" for place in places[:3])
    return Step(
        result=Result.FOUND,
        summary=f"{len(files)} files ranked, first {first}{f'; a fix belongs in {named}' if named else ''}",
        state=dataclasses.replace(found, files=files, places=places),
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
