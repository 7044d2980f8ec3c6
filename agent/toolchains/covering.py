"""Which files and functions of the tree a command executes: a small hook inside, nothing to install."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent.domain.execution import Coverage
from agent.toolchains.results import covered, functions_in
from agent.toolchains.testing import INSIDE, inside_file

if TYPE_CHECKING:
    from pathlib import Path

    from agent.domain.execution import SandboxCommand
    from agent.ports import Sandbox

LINES = f"{INSIDE}/covered"
V8 = f"{INSIDE}/v8"
REDUCED = f'mkdir -p {INSIDE}; "$@"; code=$?; node {INSIDE}/suture_v8.js {V8} {LINES}; exit $code'


async def python(
    tree: Path, sandbox: Sandbox, command: SandboxCommand, *, functions: bool = False
) -> Coverage:
    """Run a command of which every Python reports the files that it executes, and the functions if asked."""
    folder = f"{INSIDE}/python"
    path = command.env.get("PYTHONPATH", "")
    return await _run(
        replace(
            command,
            tree=command.tree or tree,
            files={**command.files, f"{folder}/sitecustomize.py": inside_file("sitecustomize.py")},
            env={
                **command.env,
                "PYTHONPATH": f"{folder}:{path}" if path else folder,
                "SUTURE_COVERED": LINES,
                **({"SUTURE_FUNCTIONS": "1"} if functions else {}),
            },
        ),
        sandbox,
    )


async def node(tree: Path, sandbox: Sandbox, command: SandboxCommand, *, functions: bool = False) -> Coverage:
    """Run a command of which every Node process leaves V8's own coverage, reduced before it leaves."""
    wanted = {"SUTURE_FUNCTIONS": "1"} if functions else {}
    return await _run(
        replace(
            command,
            tree=command.tree or tree,
            argv=("sh", "-c", REDUCED, "sh", *command.argv),
            files={**command.files, f"{INSIDE}/suture_v8.js": inside_file("suture_v8.js")},
            env={**command.env, **wanted, "NODE_V8_COVERAGE": V8},
        ),
        sandbox,
    )


async def _run(command: SandboxCommand, sandbox: Sandbox) -> Coverage:
    execution = await sandbox.run(replace(command, collect=(*command.collect, LINES)))
    text = execution.collected.get(LINES, b"").decode("utf-8", errors="replace")
    return Coverage(files=covered(text), functions=functions_in(text))
