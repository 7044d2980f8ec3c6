"""A pytest plugin that writes one JSON line a test report to ``$SUTURE_RESULTS``."""

from __future__ import annotations

import json
import os
from typing import Any

_PATH = os.environ.get("SUTURE_RESULTS", "")


def _write(name: str, phase: str, outcome: str) -> None:
    if _PATH:
        with open(_PATH, "a", encoding="utf-8") as file:  # noqa: PTH123 (as few imports as can be)
            file.write(json.dumps({"id": name, "phase": phase, "outcome": outcome}) + "\n")


def pytest_configure(config: Any) -> None:
    """Claim the file: a pytest that a test starts must not write into it; workers report to the first one."""
    global _PATH  # noqa: PLW0603 (one process, one file)
    if hasattr(config, "workerinput"):
        _PATH = ""
    os.environ.pop("SUTURE_RESULTS", None)
    os.environ.pop("PYTEST_PLUGINS", None)


def pytest_runtest_logreport(report: Any) -> None:
    """Write how a phase of a test ended; pytest itself calls an expected failure skipped."""
    broken = report.outcome == "failed" and report.when != "call"
    _write(report.nodeid, report.when, "error" if broken else report.outcome)


def pytest_collectreport(report: Any) -> None:
    """Write a file that could not be collected as an error of that file."""
    if report.outcome == "failed":
        _write(report.nodeid, "collect", "error")


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Write the exit status, by which a complete run is known."""
    if not hasattr(session.config, "workerinput"):
        _write("", "end", str(int(exitstatus)))
