"""A command as what goes into a sandbox, and an outcome as the execution it was. For every backend."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from agent.domain.execution import Execution, KillReason
from agent.sandbox import archives
from agent.sandbox.placement import placed
from agent.sandbox.supervision import Feed

if TYPE_CHECKING:
    from agent.domain.execution import SandboxCommand
    from agent.sandbox.supervision import Outcome

_CPU_EXIT: Final = 128 + 24  # SIGXCPU


def execution_of(
    command: SandboxCommand, outcome: Outcome, *, ran_out_of_memory: bool = False, unsafe: bool = False
) -> Execution:
    """Return what was observed; a signal for too much CPU time or memory is a limit, not a result."""
    killed_by, code = outcome.killed_by, outcome.code
    if killed_by is None and ran_out_of_memory and code != 0:
        killed_by, code = KillReason.MEMORY, None
    if killed_by is None and code == _CPU_EXIT:
        killed_by, code = KillReason.TIME, None
    return Execution(
        argv=command.argv,
        exit_code=code,
        stdout=outcome.stdout,
        stderr=outcome.stderr,
        seconds=outcome.seconds,
        truncated=outcome.truncated,
        killed_by=killed_by,
        unsafe=unsafe,
        collected=archives.regular_files(outcome.collected, command.collect),
    )


def feed_of(command: SandboxCommand) -> Feed:
    """Return what goes in: the tree without what a mount covers, then the files."""
    files = placed(command.files, command.tree)
    hidden = [
        str(PurePosixPath(mount.inside).relative_to("/work"))
        for mount in command.mounts
        if PurePosixPath(mount.inside).is_relative_to("/work/")
    ]
    return Feed(
        command=archives.tree_command(str(command.tree), hidden) if command.tree else (),
        archive=archives.files_archive(files) if files else b"",
    )
