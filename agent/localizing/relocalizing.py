"""Look further when refinement stalls: callers and same-named functions of the places looked at so far."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING, Final

from agent.domain.place import Place
from agent.localizing.places import joined
from agent.reading.symbols import definitions_of, references_of
from agent.reading.tree import ReadableTree
from retrieval.files.kinds import FileKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agent.workflow.state import RunState, Tools

MOST_NEW_FILES: Final = 2
_MOST_NEW_PLACES: Final = 6
_MOST_REFERENCES: Final = 200


async def relocalize(state: RunState, tools: Tools, reason: str) -> RunState:
    """Return the state with further places, of at most ``MOST_NEW_FILES`` new files; unchanged when there are none.

    ``reason`` is why refinement stalled, for the record.
    """
    tree = ReadableTree(workspace=tools.workspace)
    new = await asyncio.to_thread(_further, state, tree)
    tools.trajectory.record(
        "relocalized", reason=reason, places=[f"{one.path}:{one.start_line} {one.symbol}" for one in new]
    )
    if not new:
        return state
    tools.observer.note(f"looking further: {', '.join(dict.fromkeys(one.path for one in new))}")
    places = (*state.places, *new)
    return dataclasses.replace(state, places=places, files=joined(state.files, places))


def _further(state: RunState, tree: ReadableTree) -> tuple[Place, ...]:
    known = {(one.path, one.symbol) for one in state.places}
    files = {one.path for one in state.places}
    new: list[Place] = []
    fresh: set[str] = set()
    for place in (*_twins(state.places, tree), *_callers(state.places, tree)):
        if (place.path, place.symbol) in known or kind_of(place.path) is not FileKind.SOURCE:
            continue
        if place.path not in files | fresh and len(fresh) == MOST_NEW_FILES:
            continue
        fresh |= {place.path} - files
        known.add((place.path, place.symbol))
        new.append(place)
        if len(new) == _MOST_NEW_PLACES:
            break
    return tuple(new)


def _names(places: Iterable[Place]) -> list[str]:
    return list(dict.fromkeys(one.symbol.rpartition(".")[2] for one in places if one.symbol))


def _twins(places: Iterable[Place], tree: ReadableTree) -> Iterator[Place]:
    """Yield the definitions elsewhere that bear the same name."""
    for name in filter(str.isidentifier, _names(places)):
        for path, one in definitions_of(tree, name):
            yield Place(
                path=path,
                start_line=one.start_line,
                end_line=one.end_line,
                symbol=one.name,
                reason=f"has the same name as {name}",
            )


def _callers(places: Iterable[Place], tree: ReadableTree) -> Iterator[Place]:
    """Yield the definitions around each use of a place's name."""
    for name in filter(str.isidentifier, _names(places)):
        for at, (path, line, _) in enumerate(references_of(tree, name)):
            if at == _MOST_REFERENCES:
                break
            around = [one for one in tree.definitions(path) if one.start_line <= line <= one.end_line]
            if around:
                one = around[-1]
                yield Place(
                    path=path,
                    start_line=one.start_line,
                    end_line=one.end_line,
                    symbol=one.name,
                    reason=f"uses {name}",
                )
