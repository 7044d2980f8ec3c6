"""JavaScript and TypeScript projects: npm, yarn or pnpm install them, tests are read one by one."""

from __future__ import annotations

import platform
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from agent.domain.execution import Mount
from agent.toolchains import covering, installing, javascript_plan, results, testing
from agent.toolchains.javascript_tests import instrumented
from agent.toolchains.narrow import narrowed
from agent.toolchains.snapshot import take

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from agent.domain.execution import Coverage, SandboxCommand
    from agent.domain.project import BuildConfig, Environment, ProjectPlan, TestRun
    from agent.ports import Sandbox
    from agent.toolchains.cache import EnvironmentCache

MODULES = "/work/node_modules"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
TAP = testing.Reading(read=results.tap, from_output=True, marks_end=True)
READINGS = {
    "mocha": testing.Reading(read=results.json_lines, marks_end=True),
    "jest": testing.Reading(read=results.json_lines, marks_end=True),
    "vitest": testing.Reading(read=results.vitest, marks_end=True),
    "vows": testing.Reading(read=results.vows, from_output=True, marks_end=True),
    **dict.fromkeys(("ava", "tap", "tape", "node"), TAP),
}
UNKNOWN = testing.Reading(read=testing.by_exit_code, from_output=True)
VERSION_SECONDS = 20.0
# a script outside the tree finds the package by its own name, and what it depends on, in /tmp/node_modules
LINKS = f"""
mkdir -p /env/links/node_modules {MODULES}/.cache
for entry in {MODULES}/* ; do [ -e "$entry" ] && ln -sfn "$entry" /env/links/node_modules/ ; done
if [ -n "$SUTURE_PACKAGE" ]; then
  case "$SUTURE_PACKAGE" in */..*|../*|/*) exit 0 ;; @*/*)
    scope="/env/links/node_modules/${{SUTURE_PACKAGE%%/*}}"
    rm -f "$scope"; mkdir -p "$scope"
    for entry in "{MODULES}/${{SUTURE_PACKAGE%%/*}}"/*; do
      [ -e "$entry" ] && ln -sfn "$entry" "$scope/"
    done ;;
  esac
  rm -rf "/env/links/node_modules/$SUTURE_PACKAGE"
  ln -sfn /work "/env/links/node_modules/$SUTURE_PACKAGE"
fi
find . -mindepth 2 -type d -name node_modules -prune ! -path './node_modules/*' | head -n 100 \\
  | while IFS= read -r folder; do
  mkdir -p "/env/nested/$(dirname "$folder")" && cp -a "$folder" "/env/nested/$folder"
done
true
"""


@dataclass(frozen=True, kw_only=True)
class JavaScriptToolchain:
    """The ``Toolchain`` of Node. ``packages`` is the host folder of the managers' package caches."""

    cache: EnvironmentCache
    packages: Path
    program: str = field(default_factory=lambda: shutil.which("node") or "node")

    @property
    def language(self) -> str:
        """Return ``javascript``."""
        return "javascript"

    @cached_property
    def _version(self) -> str:
        try:
            found = subprocess.run(
                [self.program, "--version"],
                capture_output=True,
                text=True,
                timeout=VERSION_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return "20"
        return found.stdout.strip().removeprefix("v") or "20"

    def detect(self, tree: Path, config: BuildConfig) -> ProjectPlan | None:
        """Read the manifests and return the plan, None when the tree holds no JavaScript at its root."""
        machine = f"{platform.system()} {platform.machine()}"
        return javascript_plan.plan(take(tree), config, node=self._version, platform=machine)

    async def install(self, plan: ProjectPlan, tree: Path, sandbox: Sandbox) -> Environment:
        """Install into a folder that is shown at ``/work/node_modules``, or take it from the cache."""
        found = await installing.install(plan, tree, sandbox, self.cache, self._recipe())
        return _with_links(found)

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
        """Run the tests with a reporter that tells each one."""
        plan = environment.plan
        line = narrowed(plan.test, only, take(tree)) if only else plan.test
        told = instrumented(line, plan.runner, testing.INSIDE) if line else ""
        command = testing.TestCommand(
            line=told,
            reading=READINGS.get(plan.runner, UNKNOWN) if told != line or plan.runner == "tape" else UNKNOWN,
            files={
                f"{testing.INSIDE}/{name}": testing.inside_file(name)
                for name in ("suture_mocha.js", "suture_jest.js")
            },
        )
        return await testing.run(command, environment, tree, sandbox, files=files, seconds=seconds)

    def script(self, environment: Environment, path: str) -> tuple[str, ...]:
        """Return the command that runs one script, after the build if the project has one."""
        if not environment.plan.build:
            return ("node", path)
        built = " && ".join(f"({line})" for line in environment.plan.build)
        return ("bash", "-c", f"{{ cd /work && {built}; }} >&2 || exit 121; exec node {shlex.quote(path)}")

    def syntax_check(self, environment: Environment, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the command that parses the JavaScript files among ``paths``, empty when there is none."""
        del environment
        sources = [path for path in paths if path.endswith((".js", ".cjs", ".mjs"))]
        return (
            ("sh", "-c", 'for file; do node --check "$file" || exit 1; done', "check", *sources)
            if sources
            else ()
        )

    async def covered(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> frozenset[str]:
        """Run ``command``; return the files of which functions ran; if none did, the loaded ones."""
        del environment
        return (await covering.node(tree, sandbox, command)).files

    async def reached(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> Coverage:
        """Run ``command``; return the files as ``covered`` does, and the functions that ran."""
        del environment
        return await covering.node(tree, sandbox, command, functions=True)

    def _recipe(self) -> installing.Recipe:
        cache = installing.CACHE
        return installing.Recipe(
            packages=self.packages,
            shown={"node_modules": MODULES},
            carry=LINKS,
            env={
                "PATH": f"{MODULES}/.bin:{javascript_plan.TOOLS}/node_modules/.bin:{SYSTEM_PATH}",
                "NODE_PATH": "/env/links/node_modules",
                "npm_config_cache": f"{cache}/npm",
                "npm_config_update_notifier": "false",
                "YARN_CACHE_FOLDER": f"{cache}/yarn",
                "YARN_GLOBAL_FOLDER": f"{cache}/yarn-global",
                "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
                "PUPPETEER_SKIP_DOWNLOAD": "1",
                "CYPRESS_INSTALL_BINARY": "0",
                "HUSKY": "0",
            },
        )


def _with_links(environment: Environment) -> Environment:
    """Show the links beside scripts in ``/tmp``, and the packages of workspaces at their places."""
    env = next(mount.host for mount in environment.mounts if mount.inside == installing.ENV)
    links = installing.real_folder(env, "links", "node_modules")
    beside = (Mount(host=links, inside="/tmp/node_modules"),) if links else ()  # noqa: S108 (inside)
    nested = _nested(installing.real_folder(env, "nested"))
    return replace(environment, mounts=(*environment.mounts, *beside, *nested))


def _nested(folder: Path | None) -> tuple[Mount, ...]:
    if folder is None:
        return ()
    found = sorted(path.relative_to(folder) for path in folder.rglob("node_modules"))
    outermost = [path for path in found if "node_modules" not in path.parts[:-1]]
    return tuple(
        Mount(host=folder / path, inside=f"/work/{path.as_posix()}")
        for path in outermost
        if installing.real_folder(folder, *path.parts)
    )
