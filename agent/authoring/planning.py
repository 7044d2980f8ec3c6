"""Ask for plans: what the project does in analogous places comes first, then at most three edits a plan."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from agent.authoring.domain import Style
from agent.authoring.material import material, report_text
from agent.authoring.prompts import PlanOther, PlanPatch
from agent.authoring.replies import OtherPlanReply, PlanReply
from agent.authoring.wording import plans_text, survey_text
from agent.domain.conversation import ModelRole
from agent.domain.run import Depth
from agent.patches.scope import author_may_change
from agent.prompts.rendering import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.authoring.domain import Plan, Survey
    from agent.llm.desk import ModelDesk, Toolbox
    from agent.workflow.state import RunState, Tools

_TURNS: Final = {Depth.QUICK: 3, Depth.STANDARD: 6, Depth.THOROUGH: 10}
_WARM: Final = 0.8
_QUICK_STYLES: Final = frozenset({Style.STANDARD, Style.MINIMAL})


async def make_plans(
    state: RunState,
    tools: Tools,
    desk: ModelDesk,
    toolbox: Toolbox | None,
    *,
    examples: str = "",
    role: ModelRole = ModelRole.AUTHOR,
    which: int = 0,
) -> tuple[Survey, tuple[Plan, ...]]:
    """Return what was learned, and the plans that may be carried out, equal ones once.

    Raises ``ModelError`` and ``BudgetExhaustedError``.
    """
    case = material(state, tools)
    prompt = PlanPatch(
        tools=toolbox is not None,
        report=case.report,
        proof=case.proof,
        feedback=case.feedback,
        refused=_refused(state),
        examples=examples,
        entry_points=case.entry_points,
        code=case.code,
    )
    reply = await desk.reply(
        role,
        render("plan_patch", prompt),
        PlanReply,
        toolbox=toolbox,
        turns=_TURNS[tools.config.depth],
        which=which,
    )
    survey = reply.survey()
    plans = [plan for plan in reply.plans() if _fits(plan, tools.config.depth)]
    return survey, usable(plans, tools)


async def another_plan(
    state: RunState, tools: Tools, desk: ModelDesk, survey: Survey, plans: Sequence[Plan]
) -> tuple[Plan, ...]:
    """Return a plan of another way, drawn at a higher temperature; none when it repeats one or may not be done."""
    prompt = PlanOther(
        report=report_text(state),
        learned=survey_text(survey),
        plans=plans_text(plans),
        code=material(state, tools).code,
    )
    reply = await desk.reply(
        ModelRole.AUTHOR, render("plan_other", prompt), OtherPlanReply, temperature=_WARM
    )
    return usable([reply.plan()], tools)


def _fits(plan: Plan, depth: Depth) -> bool:
    return depth is not Depth.QUICK or plan.style in _QUICK_STYLES


def usable(plans: Sequence[Plan], tools: Tools) -> tuple[Plan, ...]:
    """Return the plans without steps at places that a patch may not touch or that do not exist, equal ones once."""
    kept: list[Plan] = []
    for plan in plans:
        steps = tuple(step for step in plan.steps if _may(step.path, plan, tools))
        if len(steps) < len(plan.steps):
            dropped = sorted({step.path for step in plan.steps} - {step.path for step in steps})
            tools.trajectory.record("plan_step_dropped", style=plan.style.value, paths=dropped)
        if steps and steps not in [other.steps for other in kept]:
            kept.append(dataclasses.replace(plan, steps=steps, new=plan.new & {s.path for s in steps}))
    return tuple(kept)


def _may(path: str, plan: Plan, tools: Tools) -> bool:
    exists = tools.workspace.read(path) is not None
    return author_may_change(path, tools.config.scope) and exists is not (path in plan.new)


def _refused(state: RunState) -> str:
    lines = [f"{attempt.candidate.rationale[:300]} -- {attempt.reason[:200]}" for attempt in state.attempts]
    return "\n".join(lines[:4])
