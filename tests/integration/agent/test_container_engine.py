"""The container backend's conversation with its engine, held with a program that stands in for one."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import KillReason, Limits, Phase, SandboxCommand
from agent.errors import SandboxFaultError
from agent.sandbox.config import ContainerConfig, SandboxConfig
from agent.sandbox.container import ContainerSandbox

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = r"""#!/bin/sh
here=$(dirname "$0")
printf '%s\n' "$*" | head -1 >>"$here/log"
case $1 in
run) [ -e "$here/broken" ] && { echo "no space left" >&2; exit 125; }; echo id ;;
inspect) cat "$here/oom" 2>/dev/null || echo false ;;
exec)
    while [ "$1" != -c ]; do shift; done
    script=$2; shift 3
    case $script in
    *--create*) cd "$here" && tar --create --file=- --format=gnu out ;;
    *) tar -xf - -C "$here/in" --ignore-zeros 2>/dev/null
       printf %s "$script" | sed -n "s/^printf %s '\(ready [0-9a-f]*\)'.*/\1/p" | tr -d '\n' >&2
       exec "$@" ;;
    esac ;;
esac
"""


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """Return the folder of an engine that starts programs on the host and notes what it was asked."""
    (tmp_path / "in").mkdir()
    program = tmp_path / "engine"
    program.write_text(ENGINE)
    program.chmod(0o755)
    (tmp_path / "out").write_text("collected")
    return tmp_path


def build_sandbox(engine: Path) -> ContainerSandbox:
    config = SandboxConfig(
        cache=engine,
        container=ContainerConfig(engine=str(engine / "engine")),
        environment={"PATH": os.environ["PATH"], "SSL_CERT_FILE": str(engine / "out")},
    )
    return ContainerSandbox(config)


def asked(engine: Path) -> list[str]:
    return [line.split()[0] for line in (engine / "log").read_text().splitlines()]


async def test_a_command_is_started_run_collected_and_removed(engine: Path) -> None:
    (engine / "tree").mkdir()
    (engine / "tree" / "file").write_text("from the tree")
    command = SandboxCommand(
        argv=("sh", "-c", "echo hello; echo problem >&2; exit 4"),
        tree=engine / "tree",
        files={"/tmp/more": b"more"},
        collect=("out",),
    )
    seen = await build_sandbox(engine).run(command)
    assert (seen.exit_code, seen.stdout, seen.stderr) == (4, "hello\n", "problem\n")
    assert seen.collected == {"out": b"collected"}
    assert (engine / "in" / "work" / "file").read_text() == "from the tree"
    assert (engine / "in" / "tmp" / "more").read_text() == "more"
    assert asked(engine) == ["run", "exec", "exec", "inspect", "rm"]


async def test_an_end_for_memory_is_named(engine: Path) -> None:
    (engine / "oom").write_text("true\n")
    seen = await build_sandbox(engine).run(SandboxCommand(argv=("sh", "-c", "exit 137")))
    assert (seen.exit_code, seen.killed_by) == (None, KillReason.MEMORY)


async def test_at_the_time_limit_the_container_is_removed(engine: Path) -> None:
    command = SandboxCommand(argv=("sleep", "60"), limits=Limits(wall_seconds=0.3))
    seen = await build_sandbox(engine).run(command)
    assert (seen.timed_out, asked(engine)[-1]) == (True, "rm")


async def test_a_cancelled_command_is_removed(engine: Path) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(build_sandbox(engine).run(SandboxCommand(argv=("sleep", "60"))), 1.5)
    assert asked(engine)[-1] == "rm"


async def test_an_engine_that_fails_is_a_fault_of_the_sandbox(engine: Path) -> None:
    (engine / "broken").touch()
    with pytest.raises(SandboxFaultError, match="run failed: no space left"):
        await build_sandbox(engine).run(SandboxCommand(argv=("true",)))
    assert asked(engine) == ["run", "rm"]


async def test_an_install_is_shown_the_certificates(engine: Path) -> None:
    await build_sandbox(engine).run(SandboxCommand(argv=("true",), phase=Phase.INSTALL))
    first = (engine / "log").read_text().splitlines()[0]
    assert f"type=bind,source={engine / 'out'},target={engine / 'out'},readonly" in first


async def test_a_prepared_folder_is_closed_to_others(engine: Path) -> None:
    folder = build_sandbox(engine).prepare_directory(engine / "a" / "b")
    assert (folder.is_dir(), folder.stat().st_mode & 0o007) == (True, 0)
