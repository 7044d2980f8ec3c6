"""Programs that Suture starts: git, interpreters, package managers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

from bot.doctor.finding import Finding, Status

_TIMEOUT_SECONDS = 20
_VERSION = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program, the oldest version that will do, and what to type when it is missing."""

    name: str
    minimum: tuple[int, ...]
    advice: str
    required: bool = False


PROGRAMS = (
    Program(name="git", minimum=(2, 30), advice="apt-get install git", required=True),
    Program(name="node", minimum=(18,), advice="apt-get install nodejs (for JavaScript projects)"),
    Program(name="npm", minimum=(8,), advice="apt-get install npm (for JavaScript projects)"),
)


def check_programs() -> list[Finding]:
    """Look for each program and ask its version."""
    return [check_program(program) for program in PROGRAMS] + [_python(), _uv()]


def check_program(program: Program) -> Finding:
    """Start one program and compare its version."""
    absent = Status.FAILED if program.required else Status.WARNING
    path = shutil.which(program.name)
    if path is None:
        return Finding(check=program.name, status=absent, seen="not found", advice=program.advice)
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        seen = f"does not start: {type(error).__name__}"
        return Finding(check=program.name, status=absent, seen=seen, advice=program.advice)
    found = _VERSION.search(done.stdout + done.stderr)
    if found is None:
        return Finding(check=program.name, status=Status.WARNING, seen="version not understood")
    if tuple(map(int, found.group().split("."))) < program.minimum:
        wanted = ".".join(map(str, program.minimum))
        return Finding(
            check=program.name,
            status=absent,
            seen=f"{found.group()}, {wanted} is needed",
            advice=program.advice,
        )
    return Finding(check=program.name, status=Status.OK, seen=found.group())


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(check="python", status=Status.OK, seen=version)


def _uv() -> Finding:
    from uv import find_uv_bin  # noqa: PLC0415 (the wheel may be missing; then this check says so)

    try:
        path = find_uv_bin()
    except FileNotFoundError:
        return Finding(
            check="uv",
            status=Status.FAILED,
            seen="not found",
            advice="make setup (installs it in the environment)",
        )
    return check_program(Program(name=path, minimum=(0, 5), advice="make setup", required=True))
