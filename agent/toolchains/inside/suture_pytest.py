"""A pytest plugin that writes one JSON line a test report to ``$SUTURE_RESULTS``."""

import json
import os

_PATH = os.environ.get("SUTURE_RESULTS", "")


def _write(name, phase, outcome):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 (pytest calls are untyped here)
    if _PATH:
        with open(_PATH, "a", encoding="utf-8") as file:  # noqa: PTH123 (as few imports as can be)
            file.write(json.dumps({"id": name, "phase": phase, "outcome": outcome}) + "\n")


def pytest_configure(config):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Claim the file: a pytest that a test starts must not write into it; workers report to the first one."""
    global _PATH  # noqa: PLW0603 (one process, one file)
    if hasattr(config, "workerinput"):
        _PATH = ""
    os.environ.pop("SUTURE_RESULTS", None)
    os.environ.pop("PYTEST_PLUGINS", None)


def pytest_runtest_logreport(report):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Write how a phase of a test ended; expected failures are skips."""
    outcome = report.outcome
    if hasattr(report, "wasxfail") and outcome == "skipped":
        outcome = "skipped"
    elif outcome == "failed" and report.when != "call":
        outcome = "error"
    _write(report.nodeid, report.when, outcome)


def pytest_collectreport(report):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Write a file that could not be collected as an error of that file."""
    if report.outcome == "failed":
        _write(report.nodeid, "collect", "error")


def pytest_sessionfinish(session, exitstatus):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Write the exit status, by which a complete run is known."""
    if not hasattr(session.config, "workerinput"):
        _write("", "end", str(int(exitstatus)))
