"""Write a run's files into a folder, each whole or not at all."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import BotError
from bot.output.evidence import render_evidence
from bot.output.page import render_page
from bot.output.shaping import shape_matrix, shape_run

if TYPE_CHECKING:
    from datetime import datetime
    from io import FileIO
    from pathlib import Path

    from agent.domain.report import Report
    from agent.domain.run import RunResult
    from bot.output.schema import RunShape

TRAJECTORY = "trajectory.jsonl"
_SUFFIXES = {"python": ".py", "javascript": ".cjs", "typescript": ".ts"}


class OutputError(BotError):
    """The output folder cannot be written; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFolder:
    """A folder for one run: ``run.json``, ``matrix.json``, patch, evidence, page, and the proof as a file."""

    path: Path

    def prepare(self) -> None:
        """Make the folder; raise ``OutputError`` when it cannot be written to."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path):
                pass
        except OSError as error:
            raise OutputError(f"cannot write to {self.path}: {error.strerror}; give another --out.") from None

    def trajectory(self) -> FileIO:
        """Open the record of the run, emptied and unbuffered; while it is open no other run may write here."""
        try:
            log = (self.path / TRAJECTORY).open("ab", buffering=0)
        except OSError as error:
            raise OutputError(f"cannot write to {self.path}: {error.strerror}; give another --out.") from None
        try:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            log.close()
            raise OutputError(
                f"another run writes to {self.path}; wait for it or give another --out."
            ) from None
        if stat.S_ISREG(os.fstat(log.fileno()).st_mode):
            log.truncate(0)
        return log

    def write(self, result: RunResult, report: Report, *, started_at: datetime, seconds: float) -> RunShape:
        """Write every file but the trajectory, which grows during the run; return what ``run.json`` holds."""
        run = shape_run(result, report, started_at=started_at, seconds=seconds)
        log = self._trajectory_tail()
        try:
            self._drop_earlier()
            for name, content in _contents(result, run).items():
                self._replace(name, content)
            page = render_page(run, result.diff or result.rejected_diff, log)
            self._replace("report.html", page.encode("utf-8", "replace"))
        except OSError as error:
            raise OutputError(f"cannot write to {self.path}: {error.strerror}.") from None
        return run

    def _drop_earlier(self) -> None:
        """Remove what an earlier run left and this one may not write, so that nothing stale is believed."""
        for name in ("rejected.diff", "report.html", *(f"proof{suffix}" for suffix in _SUFFIXES.values())):
            (self.path / name).unlink(missing_ok=True)

    def _replace(self, name: str, content: bytes) -> None:
        target = self.path / name
        temporary = target.with_name(f".{name}.new")
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def _trajectory_tail(self, lines: int = 400) -> str:
        """Return the last lines of the trajectory for the page."""
        try:
            text = (self.path / TRAJECTORY).read_text("utf-8", "replace")
        except OSError:
            return ""
        return "\n".join(line[:600] for line in text.splitlines()[-lines:])


def _contents(result: RunResult, run: RunShape) -> dict[str, bytes]:
    """Return the files by name, the most needed first: a disk may fill up on the way."""
    contents = {
        "patch.diff": result.diff.encode("utf-8", "surrogateescape"),
        "run.json": run.model_dump_json(indent=2).encode(),
        "matrix.json": shape_matrix(result).model_dump_json(indent=2).encode(),
        "evidence.md": render_evidence(run, result.diff).encode("utf-8", "replace"),
    }
    if result.rejected_diff:
        contents["rejected.diff"] = result.rejected_diff.encode("utf-8", "surrogateescape")
    if result.proof:
        contents[f"proof{_SUFFIXES.get(result.proof.language, '.txt')}"] = result.proof.code.encode()
    return contents
