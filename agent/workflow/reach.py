"""Whether the project's tests say anything of a patch: whether they run the code that it is about.

A suite that never enters that code passes before and after any patch. It is asked only where the suite is the
one evidence that ordinary use still works.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from agent.domain.execution import Limits, SandboxCommand

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from agent.domain.project import Environment
    from agent.workflow.state import RunState, Tools

_GRACE_SECONDS = 30.0


async def suite_reaches(
    changed: Iterable[str], copy: Path, environment: Environment, state: RunState, tools: Tools
) -> bool:
    """Tell whether the suite runs code of a changed file or of a file that the proof ran through.

    The proof's files count too: the behaviour of a changed constant shows where it is used, and of a compiled
    source in what it was built to.
    """
    if state.toolchain is None:
        return False
    command = _command(copy, environment, tools)
    ran = await state.toolchain.covered(environment, copy, tools.sandbox, command)
    return not ran.isdisjoint(state.covered | frozenset(changed))


def _command(copy: Path, environment: Environment, tools: Tools) -> SandboxCommand:
    seconds = min(tools.config.test_seconds, max(1.0, tools.budget.seconds_left()))
    tests = f"timeout --kill-after=5 {seconds:.0f} bash -c {shlex.quote(environment.plan.test)}"
    return SandboxCommand(
        argv=("bash", "-c", "\n".join((*environment.plan.build, tests))),
        tree=copy,
        mounts=environment.mounts,
        env={**environment.env, "CI": "true"},
        limits=Limits(
            wall_seconds=seconds + _GRACE_SECONDS,
            cpu_seconds=int(seconds * 4) + 60,
            memory_mb=6144,
            processes=1024,
            disk_mb=4096,
            file_mb=2048,
            open_files=8192,
        ),
    )
