"""Ask the author for variants, controls and entry points, run the programs, and ask once more for those refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agent.diagnosing.prompts import BOUNDARY, BoundaryPrompt
from agent.diagnosing.replies import MOST_CONTROLS, MOST_VARIANTS, BoundaryReply
from agent.diagnosing.strength import Refused, attack_case, benign_case
from agent.domain.conversation import ModelRole
from agent.errors import ModelError
from agent.localizing.narrowing import MOST_REPORT, existing
from agent.prompts.rendering import render
from agent.reading import ReadableTree, ReadingTools
from agent.reproducing.programs import ORIGIN, path_of

if TYPE_CHECKING:
    from agent.diagnosing.replies import ProgramReply
    from agent.domain.conversation import Prompt
    from agent.domain.place import Place
    from agent.domain.proof import ProofOfConcept
    from agent.llm.desk import ModelDesk
    from agent.workflow.state import Case, RunState, Tools

_TURNS: Final = 6
_ROUNDS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """The cases that hold, attacks first, and the ways to the same sink, which exist."""

    cases: tuple[Case, ...] = ()
    entry_points: tuple[Place, ...] = ()


async def boundary(state: RunState, tools: Tools, desk: ModelDesk) -> Boundary:
    """Return what a model knows of the boundary as far as it was seen to hold; less when it cannot be asked."""
    tree = ReadableTree(workspace=tools.workspace)
    found = Boundary()
    refused: tuple[Refused, ...] = ()
    for number in range(_ROUNDS):
        if number and not refused:
            break
        try:
            reply = await desk.reply(
                ModelRole.AUTHOR,
                _prompt(state, found, refused),
                BoundaryReply,
                toolbox=ReadingTools(tree=tree),
                turns=_TURNS,
            )
        except ModelError as error:
            tools.observer.note(f"the model could not be asked for the boundary: {error.reason}")
            break
        found, refused = await _held(reply, found, tree, state, tools)
    return found


async def _held(
    reply: BoundaryReply, found: Boundary, tree: ReadableTree, state: RunState, tools: Tools
) -> tuple[Boundary, tuple[Refused, ...]]:
    """Return what is known with the reply, as far as it holds, and what was refused of it."""
    cases, refused = list(found.cases), []
    given = [(one, False) for one in reply.variants] + [(one, True) for one in reply.controls]
    for one, benign in given:
        proof = _program(one, state)
        most = MOST_CONTROLS if benign else MOST_VARIANTS
        if _is_known(proof, cases, state) or sum(case.variant.benign is benign for case in cases) >= most:
            continue
        tools.budget.check()
        case = await (benign_case if benign else attack_case)(_name(one), proof, state, tools, sure=one.sure)
        _record(one, case, tools, benign=benign)
        if isinstance(case, Refused):
            refused.append(case)
        else:
            cases.append(case)
    cases.sort(key=lambda case: case.variant.benign)
    points = {(one.path, one.symbol, one.start_line): one for one in found.entry_points}
    points |= {
        (one.path, one.symbol, one.start_line): one
        for one in existing((item.named() for item in reply.entry_points), tree)
    }
    return Boundary(cases=tuple(cases), entry_points=tuple(points.values())), tuple(refused)


def _is_known(proof: ProofOfConcept, cases: list[Case], state: RunState) -> bool:
    known = {case.variant.proof.code for case in (*cases, *state.cases)}
    return proof.code in known | ({state.proof.code} if state.proof is not None else set())


def _program(one: ProgramReply, state: RunState) -> ProofOfConcept:
    """Return a program in the place of the proof, with what lies beside it."""
    if state.proof is None or state.toolchain is None or state.environment is None:
        raise AssertionError("there is no boundary without a proof")
    path = path_of(state.proof.language, one.code)
    argv = state.toolchain.script(state.environment, path)
    return replace(
        state.proof, path=path, code=one.code, argv=argv, origin=ORIGIN, sinks=(), oracle="", test=None
    )


def _name(one: ProgramReply) -> str:
    return f"{' '.join(one.name.split())} (by the model)"


def _record(one: ProgramReply, case: Case | Refused, tools: Tools, *, benign: bool) -> None:
    refused = isinstance(case, Refused)
    tools.trajectory.record(
        "case",
        name=_name(one),
        benign=benign,
        before=case.reason if isinstance(case, Refused) else case.before.verdict.value,
        required=False if isinstance(case, Refused) else case.variant.required,
        kept=not refused,
        code=one.code,
    )


def _prompt(state: RunState, found: Boundary, refused: tuple[Refused, ...]) -> Prompt:
    return render(
        BOUNDARY,
        BoundaryPrompt(
            language=state.proof.language if state.proof is not None else "",
            variants=MOST_VARIANTS - sum(not case.variant.benign for case in found.cases),
            controls=MOST_CONTROLS - sum(case.variant.benign for case in found.cases),
            report=f"{state.report.title}\n\n{state.report.body}"[:MOST_REPORT],
            proof=state.proof.code[:MOST_REPORT] if state.proof is not None else "",
            places="\n".join(
                f"{one.path}:{one.start_line}-{one.end_line} {one.symbol} {one.reason}".rstrip()
                for one in state.places
            ),
            refused="\n".join(f"{one.name}: {one.reason}" for one in refused),
        ),
    )
