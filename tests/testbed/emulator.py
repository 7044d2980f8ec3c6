"""The emulate process."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import requests

from tests.testbed.packages import EMULATE

if TYPE_CHECKING:
    from pathlib import Path


def _options() -> list[str]:
    """Return what an older Node needs: before version 19 it keeps its cryptography to itself."""
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return ["--experimental-global-webcrypto"] if int(version.lstrip("v").split(".")[0]) < 19 else []


class Emulator:
    """Starts emulate and waits until it answers; ends the node process itself, not a wrapper of it."""

    def __init__(self, *, seed: Path, port: int, base_url: str) -> None:
        self.url = f"http://127.0.0.1:{port}"
        arguments = ["start", "--service", "github", "--port", str(port), "--base-url", base_url]
        self._log = seed.with_suffix(".log").open("wb")
        self._process = subprocess.Popen(
            ["node", *_options(), str(EMULATE), *arguments, "--seed", str(seed)],
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def wait(self, seconds: float = 60.0) -> None:
        """Return when it answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise RuntimeError(f"emulate ended with {self._process.returncode}; see {self._log.name}")
            try:
                requests.get(f"{self.url}/meta", timeout=2)
            except requests.RequestException:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"emulate does not answer; see {self._log.name}")

    def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._log.close()
