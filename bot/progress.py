"""How a run is shown while it goes: live on a terminal, plain lines elsewhere, nothing for machines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.markup import escape

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from rich.console import Console
    from rich.status import Status

    from agent.domain.run import Stage, StageRecord


@dataclass(slots=True)
class ConsoleProgress:
    """Shows each stage on ``console``: a spinner while it runs on a terminal, one line when it is done."""

    console: Console
    _status: Status | None = field(default=None, init=False)

    def started(self, stage: Stage) -> None:
        """Show that a stage runs."""
        if self.console.is_terminal:
            self._stop()
            self._status = self.console.status(f"{stage.value} …")
            self._status.start()
        else:
            self._line(f"{stage.value}: started")

    def finished(self, record: StageRecord) -> None:
        """Show how a stage ended."""
        self._stop()
        self._line(f"{record.stage.value:<12} {record.seconds:6.1f} s  {record.result}: {record.summary}")

    def note(self, text: str) -> None:
        """Show one line within a stage."""
        self._line(f"             {text}")

    def _line(self, text: str) -> None:
        shown = "".join(char if char.isprintable() else "?" for char in text)
        self.console.print(escape(shown), highlight=False, soft_wrap=True)

    def _stop(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""
        self._stop()


class SilentProgress:
    """Shows nothing."""

    def started(self, stage: Stage) -> None:
        """Ignore it."""

    def finished(self, record: StageRecord) -> None:
        """Ignore it."""

    def note(self, text: str) -> None:
        """Ignore it."""
