"""The row that asks whether the changed files still parse, by the project's own interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.domain.execution import Limits, SandboxCommand
from agent.domain.matrix import Row, RowKind, RowStatus

if TYPE_CHECKING:
    from pathlib import Path

    from agent.domain.patch import Candidate
    from agent.domain.project import Environment
    from agent.workflow.state import RunState, Tools

_SECONDS = 60.0


async def syntax_row(
    candidate: Candidate, copy: Path, environment: Environment, state: RunState, tools: Tools
) -> Row:
    """Run the toolchain's syntax check over the changed files."""
    paths = tuple(path for path, content in candidate.changes.items() if content is not None)
    argv = state.toolchain.syntax_check(environment, paths) if state.toolchain else ()
    if not argv:
        return _row(RowStatus.UNVERIFIED, "no check for these files", "", required=False)
    command = SandboxCommand(
        argv=argv,
        tree=copy,
        mounts=environment.mounts,
        env=environment.env,
        limits=Limits(wall_seconds=_SECONDS),
    )
    execution = await tools.sandbox.run(command)
    if execution.exit_code == 0:
        return _row(RowStatus.PASSED, "parses", " ".join(argv))
    detail = (execution.stderr or execution.stdout).strip()[-1500:]
    return _row(RowStatus.FAILED, "does not parse", " ".join(argv), detail=detail)


def _row(status: RowStatus, after: str, command: str, *, detail: str = "", required: bool = True) -> Row:
    return Row(
        kind=RowKind.BUILD,
        name="the changed files parse",
        expected="parses",
        before="",
        after=after,
        status=status,
        required=required,
        command=command,
        detail=detail,
    )
