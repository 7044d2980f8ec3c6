"""Run a proof of concept and read its verdict."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from agent.domain.execution import Limits, SandboxCommand
from agent.domain.proof import Verdict
from agent.workflow.state import Observation

if TYPE_CHECKING:
    from pathlib import Path

    from agent.domain.execution import Execution
    from agent.domain.project import Environment
    from agent.domain.proof import ProofOfConcept
    from agent.workflow.state import Tools

_VERDICTS = {0: Verdict.VULNERABLE, 1: Verdict.SAFE}
_CPU_FACTOR = 2
_PYTHON_CRASH = re.compile(
    r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*\S[^\n]*(?:\n(?![ \t\n]).*)*\s*\Z", re.MULTILINE
)
_NODE_CRASH = re.compile(r"^Node\.js v[\d.]+\s*\Z", re.MULTILINE)


def verdict_of(execution: Execution) -> Verdict:
    """Read an exit code: 0 vulnerable, 1 safe, anything else (or a limit) inconclusive, never safe.

    Python and Node both end with 1 on an uncaught error, so a crash of the proof must not read as safe: an
    uncaught error leaves a traceback as the last thing on standard error.
    """
    if execution.killed_by is not None or execution.exit_code is None:
        return Verdict.INCONCLUSIVE
    if execution.exit_code == 1 and crashed(execution.stderr):
        return Verdict.INCONCLUSIVE
    return _VERDICTS.get(execution.exit_code, Verdict.INCONCLUSIVE)


def crashed(stderr: str) -> bool:
    """Tell whether the interpreter's report of an uncaught error is the last thing on standard error."""
    return _PYTHON_CRASH.search(stderr) is not None or _NODE_CRASH.search(stderr) is not None


def command_of(
    proof: ProofOfConcept, tree: Path, environment: Environment, *, seconds: float
) -> SandboxCommand:
    """Return the sandbox command that runs ``proof`` on a copy of ``tree``."""
    return SandboxCommand(
        argv=proof.argv,
        tree=tree,
        files={**proof.files, proof.path: proof.code.encode()},
        mounts=environment.mounts,
        env={**environment.env, "CASE_TREE": "/work"},
        limits=Limits(wall_seconds=seconds, cpu_seconds=int(seconds * _CPU_FACTOR) + 1),
    )


async def observe(proof: ProofOfConcept, tree: Path, environment: Environment, tools: Tools) -> Observation:
    """Run ``proof`` once in a fresh sandbox."""
    seconds = min(tools.config.proof_seconds, max(1.0, tools.budget.seconds_left()))
    execution = await tools.sandbox.run(command_of(proof, tree, environment, seconds=seconds))
    return Observation(verdict=verdict_of(execution), execution=execution)


async def observe_times(
    proof: ProofOfConcept,
    tree: Path,
    environment: Environment,
    tools: Tools,
    times: int,
    *,
    wanted: Verdict | None = None,
) -> list[Observation]:
    """Run ``proof`` up to ``times`` times, one after another.

    The first verdict that is not ``wanted``, or without that not the one of the first run, ends it early.
    """
    seen: list[Observation] = []
    for _ in range(times):
        tools.budget.check()
        seen.append(await observe(proof, tree, environment, tools))
        if seen[-1].verdict is not (wanted or seen[0].verdict):
            break
    return seen


def with_argv(proof: ProofOfConcept, argv: tuple[str, ...]) -> ProofOfConcept:
    """Return ``proof`` run by another command."""
    return dataclasses.replace(proof, argv=argv)
