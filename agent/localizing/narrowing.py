"""Ask the author for places: up to four samples, merged by vote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent.domain.conversation import ModelRole
from agent.domain.run import Depth
from agent.errors import ModelError
from agent.localizing.overview import overview
from agent.localizing.places import agree, merged, snapped
from agent.localizing.prompts import PLACES, PlacesPrompt
from agent.localizing.replies import PlacesReply
from agent.prompts.rendering import render
from agent.reading import ReadableTree, ReadingTools
from retrieval.files.kinds import FileKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent.domain.conversation import Prompt
    from agent.domain.place import Place
    from agent.llm.desk import ModelDesk
    from agent.localizing.places import Named
    from agent.workflow.state import RunState, Tools

_FEW: Final = 2
_MOST: Final = 4
_WARM: Final = 0.7
_TURNS: Final = 6
MOST_PLACES: Final = 6
MOST_REPORT: Final = 12_000


async def narrow(state: RunState, tools: Tools, desk: ModelDesk) -> tuple[Place, ...]:
    """Return the places with their votes, best first; none when the model could not be asked or named none."""
    tree = ReadableTree(workspace=tools.workspace)
    prompt = _prompt(state, tree)
    samples: list[tuple[Place, ...]] = []
    for number in range(_wanted(tools.config.depth)):
        if number == _FEW and tools.config.depth is Depth.STANDARD and agree(*samples):
            break
        try:
            sample = await _sample(prompt, tree, desk, warm=number > 0)
        except ModelError as error:
            tools.observer.note(f"the model could not narrow the files: {error.reason}")
            break
        tools.trajectory.record(
            "places", places=[f"{one.path}:{one.start_line} {one.symbol}" for one in sample]
        )
        samples.append(sample)
    return merged(samples)[:MOST_PLACES]


def _wanted(depth: Depth) -> int:
    return 1 if depth is Depth.QUICK else _MOST


async def _sample(prompt: Prompt, tree: ReadableTree, desk: ModelDesk, *, warm: bool) -> tuple[Place, ...]:
    reply = await desk.reply(
        ModelRole.AUTHOR,
        prompt,
        PlacesReply,
        temperature=_WARM if warm else 0.0,
        toolbox=ReadingTools(tree=tree),
        turns=_TURNS,
    )
    return tuple(existing((one.named() for one in reply.places), tree))


def existing(named: Iterable[Named], tree: ReadableTree) -> list[Place]:
    """Return those of the named places that exist and may be patched, snapped to definitions."""
    found = []
    for one in named:
        text = tree.text(one.path) if one.path in tree.paths() else None
        if text is None or kind_of(one.path) is not FileKind.SOURCE:
            continue
        place = snapped(one, tree.definitions(one.path), text.count("\n") + 1)
        if place is not None:
            found.append(place)
    return found


def _prompt(state: RunState, tree: ReadableTree) -> Prompt:
    return render(
        PLACES,
        PlacesPrompt(
            report=f"{state.report.title}\n\n{state.report.body}"[:MOST_REPORT],
            files=overview(state.files, tree, covered=state.covered, functions=state.functions),
            proof=state.proof.code[:MOST_REPORT] if state.proof is not None else "",
        ),
    )
