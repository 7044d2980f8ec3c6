"""Try one proof: what it shows, what it runs, and if a model wrote it whether it can be believed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agent.domain.execution import Coverage
from agent.domain.proof import Trial, Verdict
from agent.reproducing.faking import faults, package_name, project_names
from agent.reproducing.programs import ORIGIN
from agent.reproducing.stubbing import Stub, reached_in, stubbed
from agent.workflow.proving import command_of, observe, observe_times

if TYPE_CHECKING:
    from agent.domain.project import Environment
    from agent.domain.proof import ProofOfConcept
    from agent.ports import Toolchain
    from agent.workflow.state import Observation, RunState, Tools

_COVERAGE_FACTOR = 5
"""Coverage slows a deeply recursive proof down about fivefold."""
_TAIL = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A trial with what was seen; it counts when its verdict is vulnerable and no reason speaks against it."""

    trial: Trial
    seen: tuple[Observation, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def counts(self) -> bool:
        """Tell whether the flaw was shown."""
        return self.trial.verdict is Verdict.VULNERABLE and not self.trial.reason


async def try_proof(proof: ProofOfConcept, state: RunState, tools: Tools) -> Tried:
    """Run ``proof`` as often as it must agree with itself, then once under coverage, then hold it to be honest."""
    toolchain, environment = state.toolchain, state.environment
    if toolchain is None or environment is None:
        raise AssertionError("the environment stage comes first")
    if proof.origin == ORIGIN and (wrong := text_faults(proof, state, tools)):
        return Tried(trial=Trial(proof=proof, verdict=Verdict.INCONCLUSIVE, reason=wrong))
    seen = await observe_times(proof, tools.workspace.tree, environment, tools, tools.config.reproduce_runs)
    verdict = _agreed(seen)
    tools.trajectory.record(
        "proof", origin=proof.origin, verdict=verdict.value, runs=len(seen), code=proof.code
    )
    last = seen[-1].execution
    trial = Trial(
        proof=proof, verdict=verdict, exit_code=last.exit_code, output=_tail(last.stdout, last.stderr)
    )
    if verdict is Verdict.INCONCLUSIVE:
        return Tried(trial=replace(trial, reason=_unclear(seen)), seen=tuple(seen))
    coverage = await _coverage(proof, environment, toolchain, tools)
    trial = replace(trial, covered=coverage.files)
    tried = Tried(trial=trial, seen=tuple(seen), coverage=coverage)
    if not coverage.files:
        reason = "it ran none of the project's code"
        return replace(tried, trial=replace(trial, verdict=Verdict.INCONCLUSIVE, reason=reason))
    if verdict is Verdict.SAFE:
        return replace(tried, trial=replace(trial, reason="it read safe: the flaw was not seen"))
    reason = await _disbelief(tried, state, environment, tools) if proof.origin == ORIGIN else ""
    return replace(tried, trial=replace(trial, reason=reason))


def text_faults(proof: ProofOfConcept, state: RunState, tools: Tools) -> str:
    """Return what a model's program may not do and does, empty when there is nothing."""
    names = project_names(file.path for file in state.files)
    found = faults(proof, names | _declared(tools))
    if found:
        tools.trajectory.record("proof_refused", origin=proof.origin, faults=list(found), code=proof.code)
    return "; ".join(found)


def _declared(tools: Tools) -> frozenset[str]:
    """Return the project's modules by their place at the top of the tree, and the name of its package."""
    tree = tools.workspace.tree
    modules = ("*.py", "*/__init__.py", "src/*/__init__.py")
    paths = (path.relative_to(tree).as_posix() for pattern in modules for path in tree.glob(pattern))
    return project_names(paths, package_name(tools.workspace.read("package.json") or b""))


def _agreed(seen: list[Observation]) -> Verdict:
    """Return the verdict that every run gave, inconclusive when they differ."""
    verdicts = {observation.verdict for observation in seen}
    return verdicts.pop() if len(verdicts) == 1 else Verdict.INCONCLUSIVE


def _unclear(seen: list[Observation]) -> str:
    if len({observation.verdict for observation in seen}) > 1:
        return "it did not read the same each time it was run"
    last = seen[-1].execution
    if last.killed_by is not None:
        return f"it was stopped by the limit of {last.killed_by.value}"
    return f"it ended with {last.exit_code} by an error or by its own choice, which is neither vulnerable nor safe"


async def _coverage(
    proof: ProofOfConcept, environment: Environment, toolchain: Toolchain, tools: Tools
) -> Coverage:
    seconds = tools.config.proof_seconds * _COVERAGE_FACTOR
    command = command_of(proof, tools.workspace.tree, environment, seconds=seconds)
    return await toolchain.reached(environment, tools.workspace.tree, tools.sandbox, command)


async def _disbelief(tried: Tried, state: RunState, environment: Environment, tools: Tools) -> str:
    """Return why a model's proof that says vulnerable is not believed, empty when it is."""
    proof, coverage = tried.trial.proof, tried.coverage
    if coverage.files.isdisjoint(file.path for file in state.files):
        return "it ran code of no file that the report is about"
    reached = reached_in(proof.sinks, coverage.functions, tools.workspace.read)
    if not reached:
        ran = ", ".join(f"{path}:{line}" for path, line in sorted(coverage.functions)[:20])
        return f"none of its sinks ran; the functions that ran begin at {ran or 'none'}"
    return await deafness(reached, proof, environment, tools)


async def deafness(
    sink: frozenset[tuple[str, int]], proof: ProofOfConcept, environment: Environment, tools: Tools
) -> str:
    """Return why a program that says vulnerable does not observe what ``sink`` does, empty when it does.

    Where the functions raise it must read safe, or where they return at once it must not say vulnerable. A crash
    by the raised error tells nothing: a program that says vulnerable whatever happens would crash too.
    """
    for stub in Stub:
        changes = stubbed(sink, tools.workspace.read, stub)
        if not changes:
            return "its sinks cannot be stubbed; name functions of the project's sources"
        copy = tools.workspace.patched(changes)
        try:
            verdict = (await observe(proof, copy, environment, tools)).verdict
        finally:
            tools.workspace.discard(copy)
        tools.trajectory.record("stubbed", stub=stub.name.lower(), verdict=verdict.value)
        if verdict is Verdict.SAFE or (stub is Stub.RETURNS and verdict is not Verdict.VULNERABLE):
            return ""
    return (
        "it does not observe what its sinks do: it says vulnerable although they were stubbed to return at once, "
        "and does not read safe where they raise, as a fix may"
    )


def _tail(stdout: str, stderr: str) -> str:
    return "\n".join(part for part in (stdout.strip(), stderr.strip()) if part)[-_TAIL:]
