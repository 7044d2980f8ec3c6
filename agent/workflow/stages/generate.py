"""Generate: collect candidates from every source, without doubles."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.domain.patch import Candidate, Declined
from agent.syntax.shape import shape_of
from agent.workflow.state import Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from agent.workflow.state import RunState, Tools


async def generate(state: RunState, tools: Tools) -> Step:
    """Return ``candidates`` with a pool to validate, ``none`` when no source has one."""
    state = await collect(state, tools)
    if state.pool:
        sources = ", ".join(dict.fromkeys(candidate.source for candidate in state.pool))
        return Step(
            result=Result.CANDIDATES,
            summary=f"{len(state.pool)} candidate{'s' if len(state.pool) > 1 else ''} from {sources}",
            state=state,
        )
    summary = "no source has a patch for this"
    if state.declined:
        first = state.declined[0]
        summary = f"declined by {first.source} at {first.path}:{first.line}: {first.reason}"
    return Step(result=Result.NONE, summary=summary, state=state)


async def collect(state: RunState, tools: Tools) -> RunState:
    """Ask every source and return the state with new candidates in the pool, new refusals noted."""
    known = {_key(attempt.candidate) for attempt in state.attempts}
    pool: list[Candidate] = []
    declined = list(state.declined)
    for source in tools.candidate_sources:
        for item in await source.candidates(state, tools):
            if isinstance(item, Declined):
                declined += [item] if item not in declined else []
            elif _key(item) not in known and len(pool) < tools.config.candidates:
                known.add(_key(item))
                pool.append(item)
    return dataclasses.replace(state, pool=tuple(pool), declined=tuple(declined))


def _key(candidate: Candidate) -> tuple[tuple[str, str], ...]:
    """Two candidates are the same when they lead to the same programs, comments and white space aside."""
    return tuple(sorted((path, shape_of(path, content)) for path, content in candidate.changes.items()))
