"""Reproduce: show the flaw on the unpatched tree, several times, in the project's own code."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.domain.proof import Verdict
from agent.workflow.proving import command_of, observe_times
from agent.workflow.released import carries_fix, declared_version
from agent.workflow.state import Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from agent.domain.project import Environment
    from agent.domain.proof import ProofOfConcept
    from agent.ports import Toolchain
    from agent.workflow.state import Observation, RunState, Tools


_COVERAGE_FACTOR = 5
"""Coverage slows a deeply recursive proof down about fivefold."""


async def reproduce(state: RunState, tools: Tools) -> Step:
    """Try each proof in turn; the first that shows the flaw every time, through the project's code, counts."""
    toolchain, environment = state.toolchain, state.environment
    if toolchain is None or environment is None:
        raise AssertionError("the environment stage comes first")
    verdicts: list[Verdict] = []
    async for proof in _proofs(state, tools):
        seen = await observe_times(
            proof, tools.workspace.tree, environment, tools, tools.config.reproduce_runs
        )
        verdict = _agreed(seen)
        verdicts.append(verdict)
        tools.trajectory.record(
            "proof", origin=proof.origin, verdict=verdict.value, runs=len(seen), code=proof.code
        )
        if verdict is Verdict.INCONCLUSIVE:
            tools.observer.note(f"a proof from the {proof.origin} was {verdict.value}")
            continue
        covered = await _covered(proof, environment, toolchain, tools)
        if not covered:
            tools.observer.note(
                f"a proof was {verdict.value} without running the project's code: not counted"
            )
            verdicts[-1] = Verdict.INCONCLUSIVE
            continue
        if verdict is Verdict.VULNERABLE:
            return _reproduced(state, proof, seen, covered)
        tools.observer.note(f"a proof from the {proof.origin} was {verdict.value}")
    return _not_reproduced(state, verdicts, tools)


async def _proofs(state: RunState, tools: Tools) -> AsyncIterator[ProofOfConcept]:
    """Yield each different proof once, at most as many as may be tried: every one costs several runs."""
    tried: set[str] = set()
    for source in tools.proof_sources:
        async for proof in source.proofs(state, tools):
            if proof.code in tried:
                continue
            if len(tried) == tools.config.proofs:
                tools.observer.note(f"only the first {len(tried)} proofs of the report are tried")
                return
            tried.add(proof.code)
            yield proof


def _agreed(seen: list[Observation]) -> Verdict:
    """Return the verdict that every run gave, inconclusive when they differ."""
    verdicts = {observation.verdict for observation in seen}
    return verdicts.pop() if len(verdicts) == 1 else Verdict.INCONCLUSIVE


async def _covered(
    proof: ProofOfConcept, environment: Environment, toolchain: Toolchain, tools: Tools
) -> frozenset[str]:
    seconds = tools.config.proof_seconds * _COVERAGE_FACTOR
    command = command_of(proof, tools.workspace.tree, environment, seconds=seconds)
    return await toolchain.covered(environment, tools.workspace.tree, tools.sandbox, command)


def _reproduced(
    state: RunState, proof: ProofOfConcept, seen: list[Observation], covered: frozenset[str]
) -> Step:
    return Step(
        result=Result.REPRODUCED,
        summary=f"the {proof.origin}'s proof showed the flaw {len(seen)} of {len(seen)} times, "
        f"running code of {len(covered)} file{'s' if len(covered) != 1 else ''}",
        state=dataclasses.replace(state, proof=proof, observed=seen[0], covered=covered),
    )


def _not_reproduced(state: RunState, verdicts: list[Verdict], tools: Tools) -> Step:
    ran = f"{len(verdicts)} proof{'s' if len(verdicts) != 1 else ''} ran"
    if not verdicts:
        summary = "the report holds no proof that could be run"
        return Step(result=Result.NO_PROOF, summary=summary, state=state)
    if any(verdict is not Verdict.SAFE for verdict in verdicts):
        return Step(result=Result.INCONCLUSIVE, summary=f"{ran} without a clear result", state=state)
    version = declared_version(tools.workspace.read)
    if carries_fix(version, state.report.fixed):
        summary = f"{ran} and read safe, and version {version} already carries the fix"
        return Step(result=Result.ALREADY_FIXED, summary=summary, state=state)
    summary = f"{ran}, none showed the flaw at this revision"
    return Step(result=Result.SAFE, summary=summary, state=state)
