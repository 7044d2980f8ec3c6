"""Candidates by a model: plans first, then edits; after refusals the best patch is improved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.authoring.domain import Survey
from agent.authoring.editing import Author, edits_for
from agent.authoring.errors import EditError
from agent.authoring.material import cut, material, report_text
from agent.authoring.planning import make_plans, usable
from agent.authoring.prompts import PlanRefine
from agent.authoring.replies import RefineReply
from agent.authoring.wording import steps_text, survey_text
from agent.domain.conversation import ModelRole
from agent.domain.patch import Candidate, Declined, Origin
from agent.domain.run import Depth
from agent.errors import ModelError
from agent.prompts.rendering import render
from agent.reading import ReadableTree, ReadingTools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agent.authoring.domain import Plan
    from agent.llm.desk import ModelDesk
    from agent.workflow.state import Attempt, RunState, Tools

_FIRST_BATCH = 2
_DIFF, _FAILURES, _SHOWN = 8_000, 4_000, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCandidates:
    """Asks the author. Without a model there are none; a model that fails is noted, and others' patches go on."""

    async def candidates(self, state: RunState, tools: Tools) -> tuple[Candidate | Declined, ...]:
        """Return the first batch, or an improvement of the best attempt. Raises ``BudgetExhaustedError``."""
        if tools.models is None or not state.files:
            return ()
        try:
            if state.attempts:
                return await _refined(state, tools, tools.models)
            return await _first(state, tools, tools.models)
        except ModelError as error:
            tools.observer.note(f"the model wrote no patch: {error}")
            return ()


async def _first(state: RunState, tools: Tools, desk: ModelDesk) -> tuple[Candidate | Declined, ...]:
    toolbox = ReadingTools(tree=ReadableTree(workspace=tools.workspace))
    survey, plans = await make_plans(state, tools, desk, toolbox)
    chosen = plans if tools.config.depth is Depth.THOROUGH else plans[:_FIRST_BATCH]
    return tuple([await _written(plan, survey, tools, desk, tools.workspace.read, {}) for plan in chosen])


async def _refined(state: RunState, tools: Tools, desk: ModelDesk) -> tuple[Candidate | Declined, ...]:
    """Ask why the best attempt failed and for at most two edits on top of it."""
    best = state.attempts[0]
    read = _patched(best, tools)
    survey = _survey(best.candidate)
    prompt = PlanRefine(
        report=report_text(state),
        learned=survey_text(survey),
        diff=cut(best.diff, _DIFF),
        failures=cut(_failures(best), _FAILURES),
        feedback=material(state, tools).feedback,
        code=material(state, tools).code,
    )
    reply = await desk.reply(ModelRole.AUTHOR, render("plan_refine", prompt), RefineReply)
    plans = usable([reply.plan()], tools)
    return tuple([await _written(plan, survey, tools, desk, read, best.candidate.changes) for plan in plans])


async def _written(
    plan: Plan,
    survey: Survey,
    tools: Tools,
    desk: ModelDesk,
    read: Callable[[str], bytes | None],
    before: Mapping[str, bytes | None],
) -> Candidate | Declined:
    """Return the candidate of a plan, or why its edits could not be made."""
    author = Author(desk=desk)
    source = f"model {author.name}, {plan.style.value}"
    try:
        changes = await edits_for(plan, survey, author, tools, read)
    except EditError as error:
        step = plan.steps[0]
        return Declined(source=source, path=step.path, line=step.line, reason=error.reason)
    return Candidate(
        origin=Origin.MODEL,
        source=source,
        rationale=f"{survey.root_cause} {steps_text(plan)}".strip(),
        changes={**before, **changes},
        follows=survey.follows,
        alternative=survey.alternative,
        entry_points=survey.entry_points,
        planned=plan.paths | frozenset(before),
        model=author.name,
    )


def _patched(best: Attempt, tools: Tools) -> Callable[[str], bytes | None]:
    changes = best.candidate.changes
    return lambda path: changes[path] if path in changes else tools.workspace.read(path)


def _survey(candidate: Candidate) -> Survey:
    return Survey(
        root_cause=candidate.rationale,
        follows=candidate.follows,
        refusal="",
        alternative=candidate.alternative,
        entry_points=candidate.entry_points,
    )


def _failures(best: Attempt) -> str:
    rows = best.matrix.failing[:_SHOWN]
    return "\n\n".join(
        f"{row.name}: expected {row.expected}, saw {row.after}\n{row.detail}".strip() for row in rows
    )
