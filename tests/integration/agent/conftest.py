"""Who attempts: the user who runs the tests, and when that is root an ordinary user as well."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import agent
from agent.domain.execution import Execution, Limits, Mount, SandboxCommand
from agent.sandbox.pipes import Owner

if TYPE_CHECKING:
    from collections.abc import Iterator

USER = Owner(uid=64999, gid=64999)
SECRET = "s3cret-of-the-host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """Starts commands as ``owner`` (None: as we are) from a copy of the code that user can read."""

    stage: Path
    interpreter: Path
    owner: Owner | None
    cache: Path

    @property
    def as_root(self) -> bool:
        """Whether root starts the sandboxes."""
        return self.owner is None and os.geteuid() == 0

    def python(self, code: str, *, limits: Limits | None = None, **fields: object) -> Execution:
        """Run Python ``code`` inside and return what was observed."""
        command = SandboxCommand(argv=(str(self.interpreter), "-I", "-S", "-c", code))
        return self.run(replace(command, limits=limits or Limits(wall_seconds=30.0), **fields))  # type: ignore[arg-type]

    def shell(self, code: str, *, limits: Limits | None = None, **fields: object) -> Execution:
        """Run shell ``code`` inside and return what was observed."""
        command = SandboxCommand(argv=("sh", "-c", code), limits=limits or Limits(wall_seconds=30.0))
        return self.run(replace(command, **fields))  # type: ignore[arg-type]

    def run(self, command: SandboxCommand) -> Execution:
        """Run ``command`` and return its Execution."""
        answer = self._answer("run", command)
        assert isinstance(answer, Execution)
        return answer

    def cancelled(self, command: SandboxCommand) -> float:
        """Start ``command``, cancel it, and return how long that took."""
        answer = self._answer("cancel", command)
        assert isinstance(answer, float)
        return answer

    def hanging(self, command: SandboxCommand) -> subprocess.Popen[bytes]:
        """Start ``command`` and return the process that supervises it."""
        process = self._start("hang", command)
        assert process.stdin is not None
        process.stdin.close()
        return process

    def _answer(self, mode: str, command: SandboxCommand) -> object:
        process = self._start(mode, command)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err.decode()
        return pickle.loads(out)

    def _start(self, mode: str, command: SandboxCommand) -> subprocess.Popen[bytes]:
        mount = Mount(host=self.interpreter.parent.parent, inside=str(self.interpreter.parent.parent))
        words = [str(self.interpreter), str(self.stage / "attempt.py")]
        drop = ["setpriv", f"--reuid={USER.uid}", f"--regid={USER.gid}", "--clear-groups", "--"]
        process = subprocess.Popen(
            [*(drop if self.owner else []), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(self.stage), "SUTURE_TOKEN": SECRET},
        )
        assert process.stdin is not None
        mounted = replace(command, mounts=(mount, *command.mounts))
        process.stdin.write(pickle.dumps((mode, str(self.cache), mounted)))
        process.stdin.flush()
        return process


@pytest.fixture(scope="session")
def stage() -> Iterator[Path]:
    """Yield a folder that any user can enter, with the code under test and room for caches."""
    folder = Path(tempfile.mkdtemp(prefix="suture-stage-", dir="/var/tmp"))
    folder.chmod(0o755)
    copied = shutil.copytree(Path(agent.__file__).parent, folder / "agent")
    shutil.copy(Path(__file__).with_name("attempt.py"), folder)
    for path in (copied, *copied.rglob("*"), folder / "attempt.py"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def interpreter(stage: Path) -> Path:
    """Return an interpreter that any user can run; ours may live in a private home."""
    base, version = Path(sys.base_prefix), f"python3.{sys.version_info.minor}"
    copied = stage / "interpreter"
    spared = shutil.ignore_patterns("test", "site-packages", "dist-packages", "config-*", "*.a", "idlelib")
    (copied / "bin").mkdir(parents=True)
    shutil.copy(base / "bin" / version, copied / "bin")
    shutil.copytree(base / "lib" / version, copied / "lib" / version, symlinks=True, ignore=spared)
    for library in (base / "lib").glob("libpython*"):
        shutil.copy(library, copied / "lib", follow_symlinks=False)
    return copied / "bin" / version


@pytest.fixture(params=["as we are", "as a user"])
def attempts(request: pytest.FixtureRequest, stage: Path, interpreter: Path) -> Attempts:
    """Return how to attempt things, once as we are and once as an ordinary user."""
    if request.param == "as a user" and os.geteuid() != 0:
        pytest.skip("the tests run as an ordinary user already")
    owner = USER if request.param == "as a user" else None
    cache = stage / f"cache-{'user' if owner else 'own'}"
    cache.mkdir(exist_ok=True)
    if owner:
        os.chown(cache, owner.uid, owner.gid)
    return Attempts(stage=stage, interpreter=interpreter, owner=owner, cache=cache)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill ``process`` as hard as can be and let go of it."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def running(mark: str) -> list[int]:
    """Return the processes of the host that have ``mark`` among their words, after a moment of grace."""
    for _ in range(40):
        if not (found := _marked(mark)):
            return []
        time.sleep(0.05)
    return found


def _marked(mark: str) -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in file.read_bytes():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found
