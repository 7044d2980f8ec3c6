"""Suture as a process of its own whose one run burns a processor until the process is ended."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app import App, Ports
from bot.telemetry import configure_logging
from tests.fakes.checkouts import FakeCheckouts, FakeIndexer
from tests.fakes.engine import ScriptedEngine
from tests.fakes.github import FakeGitHub
from tests.integration.bot.running_app import build_settings

if TYPE_CHECKING:
    from agent.domain.run import RunResult
    from bot.ports import RepairRequest


class BusyEngine(ScriptedEngine):
    """Burns a processor in a subprocess, as tests of a project do."""

    async def repair(self, request: RepairRequest) -> RunResult:
        """Start to burn; say so; never be done by itself."""
        folder = Path(sys.argv[1])
        burner = await asyncio.create_subprocess_exec(sys.executable, "-c", "while True: pass")
        (folder / "busy").touch()
        try:
            await burner.wait()
            (folder / "done").touch()
        finally:
            with contextlib.suppress(ProcessLookupError):
                burner.kill()
        return await super().repair(request)


async def main(folder: Path, url: str) -> None:
    """Serve until SIGTERM."""
    configure_logging("warning", "json")
    ports = Ports(
        github=FakeGitHub(folder / "github.json"),
        checkouts=FakeCheckouts(folder / "trees"),
        engine=BusyEngine(),
        indexer=FakeIndexer(),
    )
    app = App(settings=build_settings(folder, url), ports=ports)
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    await app.start()
    (folder / "port").write_text(str(app.port))
    await stopping.wait()
    await app.stop()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
