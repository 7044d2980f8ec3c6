"""Run the main job on real cases and print one row each.

    python -m tests.bench.main_job CASES REPOS OUT [--only ID ...]

CASES holds ``<id>/case.yaml``, ``advisory.md`` and ``poc.*``; REPOS git directories as ``owner/name``,
``owner/name.git`` or ``owner+name/repo``. The proof stands in the report as the reporter's snippet; the vulnerable
commit is exported without its history.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from agent.config import RunConfig
from agent.domain.project import BuildConfig, TestStatus
from agent.reports import read_report
from bot.compose import open_workshop
from bot.github.export import TreeLimits, unpack
from bot.progress import SilentProgress
from bot.repair import Repair, repair
from bot.settings import load_settings

if TYPE_CHECKING:
    from agent.domain.run import RunResult
    from bot.compose import Workshop

HEADER = "| case | environment | tests passed/failed before | proof | rank | outcome | reason | seconds |"


def git_directory(repositories: Path, name: str) -> Path:
    """Return the git directory of ``owner/name``."""
    for place in (
        name,
        f"{name}.git",
        f"{name}/.git",
        f"{name.replace('/', '+')}/repo",
        f"{name.replace('/', '+')}/repo/.git",
    ):
        if (repositories / place / "objects").is_dir():
            return repositories / place
    raise SystemExit(f"{name} is not below {repositories}")


def export(repository: Path, commit: str, target: Path) -> None:
    """Write the tree of a commit without its history."""
    archive = subprocess.run(
        ["git", f"--git-dir={repository}", "archive", "--format=tar", commit], capture_output=True, check=True
    )
    unpack(BytesIO(archive.stdout), target, TreeLimits())


def report_of(case: dict[str, Any], folder: Path) -> str:
    """Return the advisory with the proof as its snippet."""
    proof = folder / case["poc"]
    language = {"python": "python", "javascript": "js"}[case["language"]]
    front = yaml.safe_dump({"id": case["id"], "cwe": case["cwe"], "title": case["title"]})
    advisory = (folder / "advisory.md").read_text("utf-8")
    return f"---\n{front}---\n{advisory}\n\n````{language}\n{proof.read_text('utf-8')}\n````\n"


def row(case: dict[str, Any], result: RunResult, seconds: float) -> str:
    """Return the table row of one run."""
    stages = {record.stage.value: record for record in result.stages}
    environment = stages["environment"].summary if "environment" in stages else result.reason
    paths = [file.path for file in result.files]
    ranks = [paths.index(path) + 1 for path in case["gold_files"] if path in paths]
    tests = "none"
    if result.baseline:
        failed = result.baseline.count(TestStatus.FAILED) + result.baseline.count(TestStatus.ERROR)
        tests = f"{result.baseline.count(TestStatus.PASSED)}/{failed}"
    cells = [
        case["id"],
        environment,
        tests,
        stages["reproduce"].result if "reproduce" in stages else "",
        str(min(ranks)) if ranks else "-",
        result.outcome.value,
        result.reason.replace("|", "/")[:120],
        f"{seconds:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


async def run_case(folder: Path, arguments: argparse.Namespace, workshop: Workshop) -> str:
    """Run one case and return its row."""
    case = yaml.safe_load((folder / "case.yaml").read_text("utf-8"))
    build = (
        BuildConfig(packages=tuple(case.get("registry_packages", ())))
        if arguments.packages
        else BuildConfig()
    )
    with tempfile.TemporaryDirectory() as folder_of_tree:
        tree = Path(folder_of_tree) / "tree"
        export(git_directory(arguments.repos, case["repo"]), case["vulnerable_commit"], tree)
        job = Repair(
            project=tree,
            report=read_report(report_of(case, folder)),
            out=arguments.out / case["id"],
            config=RunConfig(build=build),
        )
        done = await repair(job, workshop, SilentProgress())
    return row(case, done.result, done.run.seconds)


async def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("repos", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--packages", action="store_true", help="give the packages that the case names")
    arguments = parser.parse_args()
    workshop = open_workshop(load_settings())
    sys.stdout.write(f"{HEADER}\n{'|---' * 8}|\n")
    for described in sorted(arguments.cases.glob("*/case.yaml")):
        if not arguments.only or described.parent.name in arguments.only:
            sys.stdout.write(await run_case(described.parent, arguments, workshop) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
