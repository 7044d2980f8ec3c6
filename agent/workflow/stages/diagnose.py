"""Diagnose: turn the proof into the cases that a patch must withstand, as they behave before any patch."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.attack import controls, variants
from agent.diagnosing import Boundary, boundary
from agent.domain.proof import Verdict
from agent.domain.run import Depth
from agent.workflow.proving import observe, observe_times
from agent.workflow.state import Case, Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from agent.domain.project import Environment
    from agent.domain.proof import Variant
    from agent.workflow.state import RunState, Tools

_MOST_VARIANTS = 12
_MOST_CONTROLS = 6
_TWICE = 2


async def diagnose(state: RunState, tools: Tools) -> Step:
    """Return ``diagnosed`` with variants that show the flaw and benign controls that behave the same twice."""
    if state.proof is None or state.environment is None:
        return Step(result=Result.SKIPPED, summary="no reproduced proof to vary", state=state)
    attacks = await _attacks(state, state.environment, tools)
    benign = await _controls(state, state.environment, tools)
    known = dataclasses.replace(state, cases=(*attacks, *benign))
    found = Boundary()
    if tools.models is not None and tools.config.depth is not Depth.QUICK:
        found = await boundary(known, tools, tools.models)
    cases = (*known.cases, *found.cases)
    attacking = sum(not case.variant.benign for case in cases)
    holding = len(cases) - attacking
    return Step(
        result=Result.DIAGNOSED,
        summary=f"{attacking} variant{'s' if attacking != 1 else ''} of the attack also work, "
        f"{holding} benign control{'s' if holding != 1 else ''} hold",
        state=dataclasses.replace(known, cases=cases, entry_points=found.entry_points),
    )


async def _attacks(state: RunState, environment: Environment, tools: Tools) -> list[Case]:
    """Keep the variants that show the flaw before the patch: the others say nothing about it."""
    if state.proof is None:
        return []
    kept: list[Case] = []
    for variant in variants(state.proof, state.report.cwes):
        if len(kept) == _MOST_VARIANTS:
            break
        tools.budget.check()
        seen = await observe(variant.proof, tools.workspace.tree, environment, tools)
        _record(tools, variant, seen.verdict)
        if seen.verdict is Verdict.VULNERABLE:
            kept.append(Case(variant=variant, before=seen))
    return kept


async def _controls(state: RunState, environment: Environment, tools: Tools) -> list[Case]:
    """Keep the controls that end the same way, with the same output, twice."""
    if state.proof is None:
        return []
    kept: list[Case] = []
    for control in controls(state.proof, state.report.cwes):
        if len(kept) == _MOST_CONTROLS:
            break
        seen = await observe_times(control.proof, tools.workspace.tree, environment, tools, _TWICE)
        _record(tools, control, seen[0].verdict)
        same = len({(item.verdict, item.execution.stdout) for item in seen}) == 1
        if same and seen[0].verdict is Verdict.SAFE:
            kept.append(Case(variant=control, before=seen[0]))
    return kept


def _record(tools: Tools, variant: Variant, verdict: Verdict) -> None:
    tools.trajectory.record(
        "case", name=variant.name, benign=variant.benign, before=verdict.value, code=variant.proof.code
    )
