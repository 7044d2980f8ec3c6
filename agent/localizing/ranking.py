"""The ranked files of a report that are there to be read and patched."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.workflow.state import RunState, Tools
    from retrieval.domain import RankedFile


async def ranked_files(state: RunState, tools: Tools) -> tuple[RankedFile, ...]:
    """Return the files of the state, or if it has none yet those that the ranking finds, best first."""
    if state.files:
        return state.files
    ranked = await asyncio.to_thread(
        tools.ranker.rank, state.report, tools.workspace.tree, k=tools.config.ranked_files
    )
    # The ranking knows the last commit; a file that is gone from the checkout cannot be patched.
    return tuple(file for file in ranked if tools.workspace.read(file.path) is not None)
