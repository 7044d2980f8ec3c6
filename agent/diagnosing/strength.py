"""What a program that a model derived from the proof is worth: it is run, and what it runs is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.proof import Variant, Verdict
from agent.reproducing.stubbing import reached_in
from agent.workflow.proving import command_of, observe, observe_times
from agent.workflow.state import Case
from agent.workflow.trying import deafness, text_faults

if TYPE_CHECKING:
    from agent.domain.execution import Coverage
    from agent.domain.proof import ProofOfConcept
    from agent.workflow.state import RunState, Tools

_TWICE = 2
_COVERAGE_FACTOR = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A program that does not count, and why."""

    name: str
    reason: str


def sink_of(state: RunState, tools: Tools) -> frozenset[tuple[str, int]]:
    """Return the functions that do the harm: those of the proof's sinks or of the places found, if they ran."""
    named = state.proof.sinks if state.proof is not None else ()
    read = tools.workspace.read
    return reached_in(named, state.functions, read) or reached_in(state.places, state.functions, read)


async def attack_case(
    name: str, proof: ProofOfConcept, state: RunState, tools: Tools, *, sure: bool
) -> Case | Refused:
    """Keep an attack that reads vulnerable; it is required when it passes the same sink and depends on it."""
    if wrong := text_faults(proof, state, tools):
        return Refused(name=name, reason=wrong)
    if state.environment is None:
        raise AssertionError("the environment stage comes first")
    seen = await observe(proof, tools.workspace.tree, state.environment, tools)
    if seen.verdict is not Verdict.VULNERABLE:
        return Refused(name=name, reason=f"it was {seen.verdict.value} on the code as it is")
    coverage = await _coverage(proof, state, tools)
    if coverage.files.isdisjoint({file.path for file in state.files} | state.covered):
        return Refused(name=name, reason="it runs none of the code in question")
    required = sure and await _through(sink_of(state, tools) & coverage.functions, proof, state, tools)
    return Case(variant=Variant(name=name, proof=proof, required=required), before=seen)


async def benign_case(
    name: str, proof: ProofOfConcept, state: RunState, tools: Tools, *, sure: bool
) -> Case | Refused:
    """Keep ordinary use that reads safe twice with the same output and runs the code in question."""
    if wrong := text_faults(proof, state, tools):
        return Refused(name=name, reason=wrong)
    if state.environment is None:
        raise AssertionError("the environment stage comes first")
    seen = await observe_times(
        proof, tools.workspace.tree, state.environment, tools, _TWICE, wanted=Verdict.SAFE
    )
    if seen[-1].verdict is not Verdict.SAFE:
        return Refused(name=name, reason=f"it was {seen[-1].verdict.value} on the code as it is, not safe")
    if seen[0].execution.stdout != seen[-1].execution.stdout:
        return Refused(name=name, reason="it does not print the same each time")
    coverage = await _coverage(proof, state, tools)
    sink = sink_of(state, tools)
    if sink.isdisjoint(coverage.functions) if sink else state.covered.isdisjoint(coverage.files):
        return Refused(name=name, reason="it does not run through the code in question")
    return Case(variant=Variant(name=name, proof=proof, benign=True, required=sure), before=seen[0])


async def _coverage(proof: ProofOfConcept, state: RunState, tools: Tools) -> Coverage:
    if state.environment is None or state.toolchain is None:
        raise AssertionError("the environment stage comes first")
    seconds = tools.config.proof_seconds * _COVERAGE_FACTOR
    command = command_of(proof, tools.workspace.tree, state.environment, seconds=seconds)
    return await state.toolchain.reached(state.environment, tools.workspace.tree, tools.sandbox, command)


async def _through(
    sink: frozenset[tuple[str, int]], proof: ProofOfConcept, state: RunState, tools: Tools
) -> bool:
    """Tell whether an attack passes the sink and shows what the sink does."""
    if not sink or state.environment is None:
        return False
    return not await deafness(sink, proof, state.environment, tools)
