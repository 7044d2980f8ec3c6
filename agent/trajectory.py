"""The record of a run: JSON Lines on disk, and a sandbox that writes down what it runs."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from agent.errors import TrajectoryError
from agent.untrusted import redact_secrets

if TYPE_CHECKING:
    from pathlib import Path

    from agent.domain.execution import Execution, SandboxCommand
    from agent.ports import Sandbox, Trajectory

_MOST_TEXT = 20_000


@dataclass(slots=True, kw_only=True)
class JSONLinesTrajectory:
    """Appends one JSON object a line to ``stream``, an unbuffered file; what looks like a secret is replaced."""

    stream: BinaryIO
    started: float = field(default_factory=time.monotonic)

    def record(self, kind: str, /, **fields: object) -> None:
        """Append one event with the seconds since the run began."""
        event = {"at": round(time.monotonic() - self.started, 3), "event": kind, **fields}
        line = redact_secrets(json.dumps(event, ensure_ascii=True, default=str)) + "\n"
        try:
            self.stream.write(line.encode())
        except OSError as error:
            raise TrajectoryError(f"the trajectory cannot be written: {error.strerror}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingSandbox:
    """A sandbox that records every command with its end, time and output."""

    inner: Sandbox
    trajectory: Trajectory

    @property
    def name(self) -> str:
        """Return the backend's name."""
        return self.inner.name

    def prepare_directory(self, path: Path) -> Path:
        """Create a folder that may be given as a writable mount."""
        return self.inner.prepare_directory(path)

    async def run(self, command: SandboxCommand) -> Execution:
        """Run the command and record it."""
        execution = await self.inner.run(command)
        self.trajectory.record(
            "command",
            argv=list(command.argv),
            phase=command.phase.value,
            exit_code=execution.exit_code,
            killed_by=execution.killed_by.value if execution.killed_by else None,
            seconds=round(execution.seconds, 3),
            stdout=execution.stdout[-_MOST_TEXT:],
            stderr=execution.stderr[-_MOST_TEXT:],
        )
        return execution
