"""Hold the coverage floors: 90 % over all, 60 % a file, every branch of the pure modules."""

from __future__ import annotations

import fnmatch
import io
import json
import sys
import tempfile
from pathlib import Path

from coverage import Coverage

ALL, FILE = 90.0, 60.0
PURE = (
    "agent/domain/*",
    "agent/workflow/transitions.py",
    "agent/workflow/acceptance.py",
    "agent/patches/scope.py",
    "agent/reports/*",
    "agent/untrusted/*",
    "retrieval/domain.py",
    "handlers/*",
    "agent/sandbox/command_line.py",
    "agent/sandbox/container_command.py",
    "agent/toolchains/python_manifests.py",
    "agent/toolchains/python_requirements.py",
    "agent/toolchains/recipes*.py",
    "agent/toolchains/results.py",
    "agent/toolchains/shell.py",
    "agent/toolchains/workflows.py",
)
"""Parsing, ranking, transitions, matrix: pure modules, of which every branch is tested."""


def main() -> int:
    """Print what is below its floor; return 1 when anything is."""
    coverage = Coverage()
    coverage.load()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "coverage.json"
        coverage.json_report(outfile=str(target))
        report = json.loads(target.read_text("utf-8"))
    files = {name: entry["summary"]["percent_covered"] for name, entry in report["files"].items()}
    total = report["totals"]["percent_covered"]
    problems = [
        f"{name}: {percent:.0f} % (floor {FILE:.0f})" for name, percent in files.items() if percent < FILE
    ]
    problems += [
        f"{name}: {percent:.1f} % (pure modules have 100)"
        for name, percent in files.items()
        if percent < 100 and any(fnmatch.fnmatchcase(name, glob) for glob in PURE)
    ]
    if total < ALL:
        problems.append(f"all: {total:.1f} % (floor {ALL:.0f})")
        coverage.report(file=(table := io.StringIO()), skip_covered=True)
        problems.append(table.getvalue())
    sys.stdout.write("\n".join([*problems, f"coverage {total:.1f} %\n"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
