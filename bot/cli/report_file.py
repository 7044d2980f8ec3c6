"""The report that a command is given: a file, or standard input as ``-``."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from agent.errors import ReportError
from agent.reports import MAXIMUM_BYTES, read_report

if TYPE_CHECKING:
    from agent.domain.report import Report


def read_report_file(source: str) -> Report:
    """Return the report, never reading more than one may have and never waiting for a pipe nobody writes to.

    Raises ``ReportError`` with one line that says what to do.
    """
    if source == "-":
        if sys.stdin is None:
            raise ReportError("cannot read the report: standard input is closed; give a file.")
        return read_report(sys.stdin.buffer.read(MAXIMUM_BYTES + 1), name="standard input")
    path = Path(source)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ReportError(f"cannot read the report {source}: no regular file; give one, or - for a pipe.")
        with path.open("rb") as file:
            return read_report(file.read(MAXIMUM_BYTES + 1), name=path.name)
    except OSError as error:
        raise ReportError(f"cannot read the report {source}: {error.strerror}.") from None
    except ValueError:
        raise ReportError("cannot read the report: its name holds a zero byte.") from None
