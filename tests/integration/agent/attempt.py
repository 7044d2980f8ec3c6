"""Runs one pickled command in a bubblewrap sandbox, as whoever starts this program; needs ``agent`` only.

Standard input: (mode, cache folder, SandboxCommand). Mode ``run`` writes the pickled Execution; ``cancel``
cancels the command after half a second and writes the seconds that took; ``hang`` waits to be killed.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from agent.sandbox.bubblewrap import BubblewrapSandbox
from agent.sandbox.config import SandboxConfig

if TYPE_CHECKING:
    from agent.domain.execution import Execution, SandboxCommand


async def attempt(mode: str, cache: Path, command: SandboxCommand) -> Execution | float:
    """Run ``command`` as ``mode`` says."""
    task = asyncio.create_task(BubblewrapSandbox(SandboxConfig(cache=cache)).run(command))
    if mode != "cancel":
        return await task
    await asyncio.sleep(0.5)
    started = time.monotonic()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    return time.monotonic() - started


if __name__ == "__main__":
    wanted_mode, folder, wanted = pickle.loads(sys.stdin.buffer.read())
    result = asyncio.run(attempt(wanted_mode, Path(folder), wanted))
    assert not list(Path("/sys/fs/cgroup").glob(f"**/suture-{os.getpid()}-*"))
    sys.stdout.buffer.write(pickle.dumps(result))
