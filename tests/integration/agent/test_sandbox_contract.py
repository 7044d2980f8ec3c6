"""What every backend of the ``Sandbox`` port promises: the same tests for the real ones and the fake."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import KillReason, Limits, Mount, Phase, SandboxCommand
from agent.errors import SandboxFaultError, SandboxUnavailableError
from agent.sandbox.config import Backend, SandboxConfig
from agent.sandbox.select import open_sandbox
from tests.fakes.sandbox import ScriptedSandbox, build_execution
from tests.integration.agent.conftest import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent.ports import Sandbox

pytestmark = pytest.mark.sandbox

SECONDS = Limits(wall_seconds=20.0)
LOOPBACK = ("sh", "-c", "cat /proc/net/dev | grep -c :")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A sandbox and a folder of the host it may be given things from."""

    sandbox: Sandbox
    folder: Path

    @property
    def scripted(self) -> bool:
        return isinstance(self.sandbox, ScriptedSandbox)


def scripted() -> ScriptedSandbox:
    """Return the fake with the answers the contract expects of a real one."""
    return (
        ScriptedSandbox()
        .on("echo out", build_execution(exit_code=3, stdout="out\n", stderr="err\n"))
        .on(("no-such-program",), build_execution(exit_code=127, stderr="not found"))
        .on(("sleep",), build_execution(exit_code=None, killed_by=KillReason.TIME, seconds=0.5))
        .on("cat given", build_execution(stdout="given\nabove"))
        .on("report", build_execution(collected={"report/a.xml": b"<a/>", "/tmp/b": b"b"}))
        .on("env |", build_execution(stdout="set\n"))
        .on("mounted", build_execution(stdout="mounted\n"))
        .on("head", build_execution(stdout="x" * 1000, truncated=True))
    )


@pytest.fixture(params=["scripted", Backend.BUBBLEWRAP, Backend.UNSAFE, Backend.CONTAINER])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Yield each backend; a container engine only where one answers."""
    folder = Path(tempfile.mkdtemp(prefix="suture-contract-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        if request.param == "scripted":
            yield Place(sandbox=scripted(), folder=folder)
        else:
            yield Place(sandbox=_opened(request.param, folder), folder=folder)
    finally:
        shutil.rmtree(folder)


def _opened(backend: Backend, folder: Path) -> Sandbox:
    config = SandboxConfig(cache=folder / "cache", backend=backend, environment=dict(os.environ))
    try:
        return open_sandbox(config)
    except SandboxUnavailableError as error:
        if backend is Backend.CONTAINER:
            pytest.skip(error.reason)
        raise


async def test_streams_and_exit_code_are_reported(place: Place) -> None:
    command = SandboxCommand(argv=("sh", "-c", "echo out; echo err >&2; exit 3"), limits=SECONDS)
    seen = await place.sandbox.run(command)
    assert (seen.argv, seen.exit_code, seen.stdout, seen.stderr) == (command.argv, 3, "out\n", "err\n")
    assert (seen.unsafe, seen.truncated, seen.timed_out) == (place.sandbox.name == "unsafe", False, False)


async def test_a_missing_program_is_the_commands_failure(place: Place) -> None:
    seen = await place.sandbox.run(SandboxCommand(argv=("no-such-program",), limits=SECONDS))
    assert (seen.exit_code, "not found" in seen.stderr) == (127, True)


async def test_time_is_limited(place: Place) -> None:
    seen = await place.sandbox.run(SandboxCommand(argv=("sleep", "60"), limits=Limits(wall_seconds=0.5)))
    assert (seen.exit_code, seen.timed_out, 0.5 <= seen.seconds < 5) == (None, True, True)


async def test_files_are_written_over_a_copy_of_the_tree(place: Place) -> None:
    tree = place.folder / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "given").write_text("given\n")
    (tree / "sub" / "over").write_text("below")
    command = SandboxCommand(
        argv=("sh", "-c", "cat given /work/sub/over; rm given; test -e /tmp/t"),
        tree=tree,
        files={"sub/over": b"above", "/tmp/t": b""},
        limits=SECONDS,
    )
    seen = await place.sandbox.run(command)
    assert (seen.stdout, seen.exit_code) == ("given\nabove", 0)
    assert sorted(path.name for path in tree.rglob("*")) == ["given", "over", "sub"]
    assert (tree / "sub" / "over").read_text() == "below"


async def test_wanted_files_come_back_under_the_names_asked_for(place: Place) -> None:
    command = SandboxCommand(
        argv=("sh", "-c", "mkdir report; printf '<a/>' >report/a.xml; printf b >/tmp/b"),
        collect=("report", "/tmp/b", "missing"),
        limits=SECONDS,
    )
    assert (await place.sandbox.run(command)).collected == {"report/a.xml": b"<a/>", "/tmp/b": b"b"}


async def test_only_the_given_environment_is_seen(place: Place) -> None:
    os.environ["SUTURE_TEST_SECRET"] = "secret"
    try:
        program = 'env | grep -c SUTURE_TEST_SECRET || printf "%s\\n" "$GIVEN"'
        seen = await place.sandbox.run(
            SandboxCommand(argv=("sh", "-c", program), env={"GIVEN": "set"}, limits=SECONDS)
        )
    finally:
        del os.environ["SUTURE_TEST_SECRET"]
    assert seen.stdout.split()[-1] == "set"


async def test_a_prepared_folder_can_be_written_through_a_mount(place: Place) -> None:
    folder = place.sandbox.prepare_directory(place.folder / "cache" / "environments" / "one")
    command = SandboxCommand(
        argv=("sh", "-c", "echo mounted >/env/new; cat /env/new"),
        mounts=(Mount(host=folder, inside="/env", writable=True),),
        phase=Phase.INSTALL,
        limits=SECONDS,
    )
    assert (await place.sandbox.run(command)).stdout == "mounted\n"
    if not place.scripted:
        assert (folder / "new").read_text() == "mounted\n"
        assert folder.stat().st_mode & 0o007 == 0


async def test_a_mount_below_work_covers_what_the_tree_has_there(place: Place) -> None:
    tree, modules = place.folder / "tree", place.folder / "node_modules"
    (tree / "node_modules").mkdir(parents=True)
    (tree / "node_modules" / "own").write_text("tree's")
    modules.mkdir()
    (modules / "own").write_text("mounted\n")
    command = SandboxCommand(
        argv=("sh", "-c", "cat node_modules/own # mounted"),
        tree=tree,
        mounts=(Mount(host=modules, inside="/work/node_modules"),),
        limits=SECONDS,
    )
    assert (await place.sandbox.run(command)).stdout == "mounted\n"


async def test_long_output_is_cut(place: Place) -> None:
    command = SandboxCommand(
        argv=("sh", "-c", "head -c 5000 /dev/zero | tr '\\0' x"),
        limits=Limits(wall_seconds=20.0, output_bytes=1000),
    )
    seen = await place.sandbox.run(command)
    assert (seen.truncated, seen.stdout.count("x")) == (True, 1000)


async def test_cancelling_ends_the_tree(place: Place) -> None:
    if place.scripted:
        pytest.skip("the fake starts nothing")
    mark = f"4{secrets.randbelow(10**9)}"
    command = SandboxCommand(argv=("sh", "-c", f"setsid sleep {mark} & sleep {mark}"))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(place.sandbox.run(command), 1.0)
    assert await asyncio.to_thread(running, mark) == []


async def test_commands_side_by_side_do_not_mix(place: Place) -> None:
    if place.scripted:
        pytest.skip("the fake has one script")
    texts = [f"text {number}" for number in range(6)]
    commands = [SandboxCommand(argv=("sh", "-c", 'echo "$1" >f; cat f', "sh", text)) for text in texts]
    seen = await asyncio.gather(*(place.sandbox.run(command) for command in commands))
    assert [execution.stdout.strip() for execution in seen] == texts


async def test_an_argument_too_long_for_a_process_is_a_fault(place: Place) -> None:
    if place.scripted:
        pytest.skip("the fake starts nothing")
    with pytest.raises(SandboxFaultError, match="too long"):
        await place.sandbox.run(SandboxCommand(argv=("true", "x" * 200_000), limits=SECONDS))
