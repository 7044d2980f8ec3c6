"""One repair from a project and a report to files in a folder; the command line and the jobs both run this."""

from __future__ import annotations

import asyncio
import dataclasses
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

from agent.config import RunConfig
from agent.domain.run import Outcome
from agent.errors import AgentError
from agent.trajectory import JSONLinesTrajectory, RecordingSandbox
from agent.workflow.driver import Workflow
from agent.workflow.stages.catalogue import STAGES
from agent.workspace import open_workspace
from bot.errors import BotError
from bot.output import OutputFolder
from bot.ranking import commit_day

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import BinaryIO

    from agent.domain.report import Report
    from agent.domain.run import RunResult
    from agent.ports import Observer
    from agent.workspace import Workspace
    from bot.compose import Workshop
    from bot.output.schema import RunShape


def new_run_id() -> str:
    """Return an id that sorts by time and does not collide."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What is repaired, where the result goes, and how hard to try.

    ``history`` is a git directory whose log may speak for files; by default the project's own. ``offline`` asks no
    model even if one is configured. ``feedback`` is what people or checks said of an earlier patch.
    """

    project: Path
    report: Report
    out: Path
    config: RunConfig = field(default_factory=RunConfig)
    run_id: str = field(default_factory=new_run_id)
    history: Path | None = None
    offline: bool = False
    feedback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """The result, what was written to ``run.json``, and the changed files as they were found."""

    result: RunResult
    run: RunShape
    before: Mapping[str, bytes | None] = field(default_factory=dict)


async def repair(job: Repair, workshop: Workshop, observer: Observer) -> Repaired:
    """Run the workflow; when the task is cancelled, write what was found and raise ``CancelledError``.

    Raises ``ProjectError``, ``SandboxUnavailableError`` and ``OutputError``; any other ending is an outcome.
    """
    folder = OutputFolder(path=job.out)
    folder.prepare()
    started_at, started = datetime.now(UTC), monotonic()
    with (
        open_workspace(job.project, parent=workshop.scratch(), without=job.out) as workspace,
        folder.trajectory() as log,
    ):
        workflow = _workflow(job, workshop, workspace, observer, log)
        result: RunResult | None = None
        try:
            result = await workflow.run()
        except asyncio.CancelledError:
            result = workflow.result(Outcome.CANCELLED, "stopped on request")
            raise
        except (AgentError, BotError):
            raise
        except Exception as fault:  # noqa: BLE001 - what was found must not be lost with our own mistake
            result = workflow.fault(fault)
        finally:
            if result is not None:
                seconds = monotonic() - started
                run = folder.write(result, job.report, started_at=started_at, seconds=seconds)
        changed = result.candidate.changes if result.candidate else ()
        before = {path: workspace.read(path) for path in changed}
    return Repaired(result=result, run=run, before=before)


def _workflow(
    job: Repair, workshop: Workshop, workspace: Workspace, observer: Observer, log: BinaryIO
) -> Workflow:
    job = _dated(job)
    trajectory = JSONLinesTrajectory(stream=log)
    trajectory.record("run", run_id=job.run_id, report=job.report.id, depth=job.config.depth.value)
    tools = workshop.tools(job, workspace, observer, trajectory)
    recorded = RecordingSandbox(inner=tools.sandbox, trajectory=trajectory)
    tools = dataclasses.replace(tools, sandbox=recorded)
    return Workflow(run_id=job.run_id, report=job.report, tools=tools, stages=STAGES, feedback=job.feedback)


def _dated(job: Repair) -> Repair:
    """Say when the tree was committed: a fresh clone's files are all of today."""
    if job.config.build.committed is not None:
        return job
    build = dataclasses.replace(job.config.build, committed=commit_day(job.history or job.project))
    return dataclasses.replace(job, config=dataclasses.replace(job.config, build=build))
