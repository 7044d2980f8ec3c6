# ruff: noqa: T201 (a table on the terminal is what it is for)
"""Installs and tests real projects, one row a case: ``toolchain_cases.py CASES REPOS CACHE [ID ...]``.

CASES holds ``ID/case.yaml`` with ``repo``, ``vulnerable_commit``, ``language``, ``registry_packages`` and
``regression_test``; REPOS holds ``OWNER+NAME/repo`` git directories. ``--configured`` hands the case's own
packages and test line over as the repository configuration would; without it everything is detected.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from agent.domain.project import BuildConfig, TestStatus
from agent.errors import AgentError, EnvironmentFailedError
from agent.sandbox.config import SandboxConfig
from agent.sandbox.select import open_sandbox
from agent.toolchains.registry import detect, toolchains

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent.domain.project import ProjectPlan, TestRun
    from agent.ports import Sandbox

HEADER = (
    "| case | manager | runner | test line | origin | cold s | warm s | way "
    "| passed | failed | skipped | tests s | remark |"
)


def exported(case: Mapping[str, object], repos: Path, target: Path) -> Path:
    """Write the vulnerable commit without history; files keep the commit's time."""
    git = repos / str(case["repo"]).replace("/", "+") / "repo"
    archive = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(git), "archive", str(case["vulnerable_commit"])],
        check=True,
        capture_output=True,
    )
    subprocess.run(["tar", "-x", "-C", str(target)], input=archive.stdout, check=True)
    return target


def configured(case: Mapping[str, object]) -> BuildConfig:
    """Return the repository configuration that the case's facts amount to."""
    packages = case.get("registry_packages")
    return BuildConfig(
        packages=tuple(str(one) for one in packages) if isinstance(packages, list) else (),
        test=str(case.get("regression_test", "")),
    )


async def row(
    case: Mapping[str, object], tree: Path, config: BuildConfig, cache: Path, sandbox: Sandbox
) -> str:
    """Return the case's line of the table."""
    chains = toolchains(cache)
    try:
        toolchain, plan = detect(tree, config, chains)
        started = time.monotonic()
        environment = await toolchain.install(plan, tree, sandbox)
        cold = time.monotonic() - started
        warm = (await toolchain.install(plan, tree, sandbox)).seconds
        run = await toolchain.test(environment, tree, sandbox, seconds=420)
    except AgentError as error:
        log = error.log[-1500:] if isinstance(error, EnvironmentFailedError) else ""
        print(log, file=sys.stderr)
        return f"| {case['id']} | | | | | | | | | | | | FAILED: {str(error)[:200]} |"
    facts = chains[0].cache.facts(plan.digest)
    return _line(str(case["id"]), plan, cold, warm, facts.get("attempt"), run)


def _line(name: str, plan: ProjectPlan, cold: float, warm: float, way: object, run: TestRun) -> str:
    failed = [key for key, value in run.results.items() if value in {TestStatus.FAILED, TestStatus.ERROR}]
    if os.environ.get("SHOW_FAILED"):
        output = (run.execution.stdout[-3000:], run.execution.stderr[-2000:])
        print(name, *failed[:40], *output, sep="\n  ", file=sys.stderr)
    cells = [
        *(name, plan.manager, plan.runner, f"`{plan.test}`", plan.origins["test"]),
        *(f"{cold:.1f}", f"{warm:.2f}", way),
        *(run.count(TestStatus.PASSED), len(failed), run.count(TestStatus.SKIPPED)),
        *(f"{run.execution.seconds:.1f}", run.usage_error or ("" if run.complete else "incomplete")),
    ]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


async def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("repos", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--configured", action="store_true")
    arguments = parser.parse_args()
    sandbox = open_sandbox(SandboxConfig(cache=arguments.cache, environment=dict(os.environ)))
    print(HEADER)
    print("|" + "---|" * (HEADER.count("|") - 1))
    for path in sorted(arguments.cases.glob("*/case.yaml")):
        case = yaml.safe_load(path.read_text(encoding="utf-8"))
        if arguments.ids and case["id"] not in arguments.ids:
            continue
        with tempfile.TemporaryDirectory() as folder:
            tree = exported(case, arguments.repos, Path(folder))
            config = configured(case) if arguments.configured else BuildConfig()
            print(await row(case, tree, config, arguments.cache, sandbox), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
