"""Measures what a sandbox costs: ``python -m tests.bench.sandbox_start [--copy FOLDER]``.

Prints the median and the least of 20 starts of ``true``, and beside them bare bubblewrap on the same machine
in the same minute; with ``--copy`` the same for a start that takes in a copy of FOLDER.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from agent.domain.execution import SandboxCommand
from agent.sandbox.config import Backend, SandboxConfig
from agent.sandbox.select import open_sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 20
BARE = [
    "bwrap",
    "--unshare-all",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "true",
]


def main() -> None:
    """Print one line for each thing measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copy", type=Path, help="also measure a start with a copy of this folder")
    copied = parser.parse_args().copy
    with tempfile.TemporaryDirectory(dir="/var/tmp") as cache:
        Path(cache).chmod(0o755)
        sandbox = open_sandbox(SandboxConfig(cache=Path(cache) / "cache", backend=Backend.BUBBLEWRAP))
        loop = asyncio.new_event_loop()
        measured = {
            "bare bubblewrap": lambda: subprocess.run(BARE, check=True),
            "sandbox": lambda: loop.run_until_complete(sandbox.run(SandboxCommand(argv=("true",)))),
        }
        if copied is not None:
            command = SandboxCommand(argv=("true",), tree=copied)
            measured["sandbox with a copy"] = lambda: loop.run_until_complete(sandbox.run(command))
        for name, start in measured.items():
            sys.stdout.write(line(name, [seconds(start) for _ in range(RUNS)]))
        loop.close()


def seconds(start: Callable[[], object]) -> float:
    """Return how long ``start`` took."""
    begun = time.perf_counter()
    start()
    return time.perf_counter() - begun


def line(name: str, taken: list[float]) -> str:
    """Return the figures in milliseconds."""
    median, least = (1000 * figure for figure in (statistics.median(taken), min(taken)))
    return f"{name}: median {median:.1f} ms, least {least:.1f} ms of {RUNS}\n"


if __name__ == "__main__":
    main()
