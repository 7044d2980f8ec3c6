"""Environment: find the toolchain and install the project, or take the installed one from the cache."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.errors import EnvironmentFailedError
from agent.toolchains.registry import detect
from agent.workflow.state import Step
from agent.workflow.transitions import Result

if TYPE_CHECKING:
    from agent.workflow.state import RunState, Tools


async def prepare_environment(state: RunState, tools: Tools) -> Step:
    """Return ``ready`` with an environment, or ``failed`` with the reason."""
    tree = tools.workspace.tree
    toolchain, plan = detect(tree, tools.config.build, tools.toolchains)
    state = dataclasses.replace(state, toolchain=toolchain, plan=plan)
    tools.observer.note(f"{plan.language} project, {plan.manager}, tests by {plan.runner or 'none found'}")
    try:
        environment = await toolchain.install(plan, tree, tools.sandbox)
    except EnvironmentFailedError as error:
        tools.trajectory.record("environment_failed", reason=error.reason, log=error.log)
        return Step(result=Result.FAILED, summary=error.reason, state=state)
    how = "from the cache" if environment.cached else f"installed in {environment.seconds:.1f} s"
    return Step(
        result=Result.READY,
        summary=f"{plan.language} with {plan.manager}, {how}",
        state=dataclasses.replace(state, environment=environment, plan=environment.plan),
    )
