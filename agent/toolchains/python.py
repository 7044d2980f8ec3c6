"""Python projects: uv makes the environment; pytest, unittest and what builds on it are read test by test."""

from __future__ import annotations

import platform
import re
import shlex
import sys
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from uv import find_uv_bin

from agent.domain.execution import Mount
from agent.toolchains import covering, installing, python_plan, python_ways, results, testing
from agent.toolchains.narrow import narrowed
from agent.toolchains.snapshot import take

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from agent.domain.execution import Coverage, SandboxCommand
    from agent.domain.project import BuildConfig, Environment, ProjectPlan, TestRun
    from agent.ports import Sandbox
    from agent.toolchains.cache import EnvironmentCache

TOOLS = "/opt/suture"
VENV = python_ways.VENV
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PYTEST_USAGE = frozenset({3, 4, 5})
READINGS = {
    "pytest": testing.Reading(read=results.json_lines, marks_end=True, usage_exits=PYTEST_USAGE),
    "unittest": testing.Reading(read=results.json_lines),
    "django": testing.Reading(read=results.json_lines),
}
NAME = re.compile(r"^python(3\.\d+)$")


def interpreters(folders: Sequence[Path] = (Path("/usr/local/bin"), Path("/usr/bin"))) -> dict[str, str]:
    """Return version -> program for the Pythons of this host that a sandbox can show, our own among them."""
    found: dict[str, str] = {}
    for folder in folders:
        for path in sorted(folder.glob("python3.*")) if folder.is_dir() else ():
            if match := NAME.match(path.name):
                found.setdefault(match[1], str(path))
    found.setdefault(
        f"{sys.version_info.major}.{sys.version_info.minor}", str(Path(sys.executable).resolve())
    )
    return found


def today() -> date:
    """Return the day, from which the age of a project is reckoned."""
    return datetime.now(tz=UTC).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonToolchain:
    """The ``Toolchain`` of Python. ``packages`` is the host folder for uv's package cache."""

    cache: EnvironmentCache
    packages: Path
    interpreters: Mapping[str, str] = field(default_factory=interpreters)
    uv: str = field(default_factory=find_uv_bin)

    @property
    def language(self) -> str:
        """Return ``python``."""
        return "python"

    def detect(self, tree: Path, config: BuildConfig) -> ProjectPlan | None:
        """Read the manifests and return the plan, None when the tree holds no Python."""
        machine = f"{platform.system()} {platform.machine()} {platform.libc_ver()}"
        return python_plan.plan(take(tree), config, self.interpreters, today=today(), platform=machine)

    async def install(self, plan: ProjectPlan, tree: Path, sandbox: Sandbox) -> Environment:
        """Make the virtual environment, or take it from the cache."""
        return await installing.install(plan, tree, sandbox, self.cache, self._recipe(plan))

    async def test(
        self,
        environment: Environment,
        tree: Path,
        sandbox: Sandbox,
        *,
        files: Mapping[str, bytes] | None = None,
        only: Sequence[str] = (),
        seconds: float = 600.0,
    ) -> TestRun:
        """Run the tests; pytest is asked once more without the project's own options when it refuses them."""
        run = partial(
            testing.run, environment=environment, tree=tree, sandbox=sandbox, files=files, seconds=seconds
        )
        command = self._tests(environment.plan, tree, only)
        found = await run(command)
        if environment.plan.runner == "pytest" and found.execution.exit_code == 4:  # noqa: PLR2004 (usage)
            options = f"{environment.plan.env.get('PYTEST_ADDOPTS', '')} -o addopts="
            retried = await run(replace(command, env={**command.env, "PYTEST_ADDOPTS": options}))
            return retried if retried.usage_error is None else found
        return found

    def script(self, environment: Environment, path: str) -> tuple[str, ...]:
        """Return the command that runs one script with the environment's interpreter."""
        lines = environment.plan.build
        python = f"{VENV}/bin/python"
        if not lines:
            return (python, path)
        built = " && ".join(f"({line})" for line in lines)
        return ("bash", "-c", f"{{ {built}; }} >&2 || exit 121; exec {python} {shlex.quote(path)}")

    def syntax_check(self, environment: Environment, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the command that compiles the Python files among ``paths``, empty when there is none."""
        del environment
        sources = [path for path in paths if path.endswith((".py", ".pyi"))]
        return (f"{VENV}/bin/python", "-m", "py_compile", *sources) if sources else ()

    async def covered(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> frozenset[str]:
        """Run ``command``; return the files of which functions ran; if none did, the loaded ones."""
        del environment
        return (await covering.python(tree, sandbox, command)).files

    async def reached(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> Coverage:
        """Run ``command``; return the files as ``covered`` does, and the functions that ran."""
        del environment
        return await covering.python(tree, sandbox, command, functions=True)

    def _tests(self, plan: ProjectPlan, tree: Path, only: Sequence[str]) -> testing.TestCommand:
        hooks = {f"{testing.INSIDE}/python/sitecustomize.py": testing.inside_file("sitecustomize.py")}
        env = {"PYTHONPATH": f"{testing.INSIDE}/python"}
        if plan.runner == "pytest":
            hooks = {f"{testing.INSIDE}/python/suture_pytest.py": testing.inside_file("suture_pytest.py")}
            env |= {"PYTEST_PLUGINS": "suture_pytest"}
        line = narrowed(plan.test, only, take(tree)) if only else plan.test
        return testing.TestCommand(
            line=line, reading=READINGS.get(plan.runner, _UNKNOWN), files=hooks, env=env
        )

    def _recipe(self, plan: ProjectPlan) -> installing.Recipe:
        prefix = Path(plan.interpreter).parent.parent
        shown = () if prefix.is_relative_to("/usr") else (Mount(host=prefix, inside=str(prefix)),)
        return installing.Recipe(
            packages=self.packages,
            mounts=(*shown, Mount(host=Path(self.uv), inside=f"{TOOLS}/uv")),
            env={
                "PATH": f"{VENV}/bin:{TOOLS}:{SYSTEM_PATH}",
                "VIRTUAL_ENV": VENV,
                "UV_CACHE_DIR": f"{installing.CACHE}/uv",
                "PIP_CACHE_DIR": f"{installing.CACHE}/pip",
                "UV_PROJECT_ENVIRONMENT": VENV,
                "UV_LINK_MODE": "copy",
                "UV_PYTHON_DOWNLOADS": "never",
                "UV_COMPILE_BYTECODE": "1",
                "UV_NO_PROGRESS": "1",
            },
        )


_UNKNOWN = testing.Reading(read=testing.by_exit_code, from_output=True)
